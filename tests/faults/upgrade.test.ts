import { eventually, type OwnServers, startOwnServers, type TestProcess } from '@carillon/testkit';
import { afterAll, expect, it } from 'vitest';
import { ONLY, SEEDS } from './config.js';
import { buildEarlier, type EarlierBuild } from './harness/earlier-build.js';
import { Installation } from './harness/installation.js';
import { play, type Scenario } from './harness/play.js';

let earlier: EarlierBuild | undefined;
let servers: OwnServers | undefined;
let installation: Installation | undefined;

/** What a program thought worth calling an error. */
const errorsOf = (process: TestProcess) => process.lines.filter(({ level }) => Number(level) >= 50);

const upgrade: Scenario = {
  number: 18,
  fault: "workers from before the latest migration beside today's, while migrating",
  holds: 'no error',
  async play(stage) {
    const { installation } = stage;
    const before = { api: installation.api, workers: [...installation.workers] };
    await stage.load({ seconds: 6 });
    // Today's programs migrate as they start, with the earlier ones at work.
    const replaced = stage.random.integer(0, 2);
    await Promise.all([installation.startApi(), installation.startWorker(replaced)]);
    stage.inject();
    await before.workers[replaced]?.end();
    await before.api.end();
    await stage.load({ seconds: 4 });
    stage.heal();
    const { rows } = await installation.pool.query('select clock_timestamp()::text as now');
    await eventually(
      async () => {
        const { rows: claims } = await installation.pool.query<{ pid: number }>(
          `select distinct w.pid from runs r join workers w on w.id = r.worker_id where r.claimed_at > $1::timestamptz`,
          [rows[0].now],
        );
        const pids = claims.map(({ pid }) => pid);
        const isEarlier = (pid: number) => before.workers.some((worker) => worker.pid === pid);
        return pids.some(isEarlier) && pids.some((pid) => !isEarlier(pid));
      },
      { withinMs: 60_000, what: 'claims by both builds' },
    );
    const programs = [before.api, ...before.workers, installation.api, ...installation.workers];
    expect(programs.flatMap(errorsOf)).toEqual([]);
  },
};

afterAll(async () => {
  await installation?.stop();
  await servers?.stop();
  await earlier?.remove();
}, 60_000);

it.runIf(ONLY?.includes(18) ?? true)(
  `18. ${upgrade.fault}: ${upgrade.holds}`,
  {
    timeout: 240_000 * SEEDS.length,
  },
  async ({ skip }) => {
    const built = await buildEarlier();
    if ('missing' in built) return skip(`left out: ${built.missing}`);
    earlier = built;
    servers = await startOwnServers();
    for (const seed of SEEDS) {
      installation = await Installation.prepare(servers, { name: `upgrade_${seed}` });
      await installation.startWorker(0, { main: earlier.worker });
      await Promise.all([
        installation.startApi({ main: earlier.api }),
        installation.startWorker(1, { main: earlier.worker }),
        installation.startWorker(2, { main: earlier.worker }),
      ]);
      await play(installation, upgrade, seed);
      await installation.stop();
      installation = undefined;
    }
  },
);
