import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type OwnServers, startOwnServers, type TestProcess } from '@carillon/testkit';
import { afterAll, expect, it } from 'vitest';
import { isChosen, SEEDS } from './config.js';
import {
  buildEarlier,
  type EarlierBuild,
  type EarlierVersion,
  findEarlierVersion,
} from './harness/earlier-build.js';
import { Installation } from './harness/installation.js';
import { leaveOut, play, type Scenario } from './harness/play.js';

let build: EarlierBuild | undefined;
let servers: OwnServers | undefined;
let installation: Installation | undefined;

/** The log lines of a program with level error or higher. */
const errorsOf = (process: TestProcess) => process.lines.filter(({ level }) => Number(level) >= 50);

const upgrade: Scenario = {
  number: 18,
  fault:
    'workers of the version before the latest migration run beside the current ones during that migration',
  holds: 'no program logs an error',
  async play(stage) {
    const { installation } = stage;
    const before = { api: installation.api, workers: [...installation.workers] };
    await stage.load({ seconds: 6 });
    // When the current programs start, they migrate the database, while the earlier programs still run.
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
          `select distinct w.pid from carillon.runs r join carillon.workers w on w.id = r.worker_id
           where r.claimed_at > $1::timestamptz`,
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
  await build?.remove();
}, 60_000);

const earlier = findEarlierVersion();
if (isChosen(upgrade.number)) {
  if ('missing' in earlier) await leaveOut(upgrade, `no earlier version to compare with: ${earlier.missing}`);
  else playUpgradeFrom(earlier);
}

function playUpgradeFrom(version: EarlierVersion): void {
  const options = { timeout: 240_000 * SEEDS.length };
  it(`fault 18, ${upgrade.fault}: ${upgrade.holds}`, options, async () => {
    const { worker, api } = await buildEarlier(version).then((built) => {
      build = built;
      return built;
    });
    servers = await startOwnServers();
    for (const seed of SEEDS) {
      installation = await Installation.prepare(servers, { name: `upgrade_${seed}` });
      await installation.startWorker(0, { main: worker });
      await Promise.all([
        installation.startApi({ main: api }),
        installation.startWorker(1, { main: worker }),
        installation.startWorker(2, { main: worker }),
      ]);
      await play(installation, upgrade, seed);
      await installation.stop();
      installation = undefined;
    }
  });
}

/**
 * Calls `findEarlierVersion` in a new repository. Each entry of `versions` but the last is a commit with these
 * migrations (texts by tag). The last entry is only in the working copy.
 */
async function findIn(
  versions: readonly Record<string, string>[],
): Promise<ReturnType<typeof findEarlierVersion>> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-history-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], {
      cwd: folder,
    });
  const migrations = join(folder, 'packages', 'db', 'migrations');
  try {
    git('init', '--quiet');
    await mkdir(join(migrations, 'meta'), { recursive: true });
    for (const [index, version] of versions.entries()) {
      for (const [tag, text] of Object.entries(version))
        await writeFile(join(migrations, `${tag}.sql`), text);
      const entries = Object.keys(version).map((tag) => ({ tag }));
      await writeFile(join(migrations, 'meta', '_journal.json'), JSON.stringify({ entries }));
      if (index === versions.length - 1) break;
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', String(index));
    }
    const earlier = findEarlierVersion({ folder, git });
    return 'missing' in earlier
      ? earlier
      : { ...earlier, commit: git('show', '-s', '--format=%s', earlier.commit).toString().trim() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const INIT = { '0000_init': 'create table a ()' };
const SECOND = { ...INIT, '0001_second': 'create table b ()' };
const THIRD = { ...SECOND, '0002_third': 'create table c ()' };

it('the upgrade test finds no earlier version to upgrade from if there is only one migration', async () => {
  expect(await findIn([INIT, INIT])).toEqual({ missing: 'there is only one migration' });
});

it('the upgrade test upgrades from the last commit before the latest migration', async () => {
  expect(await findIn([INIT, SECOND, SECOND, THIRD, THIRD])).toEqual({ commit: '2', migrationsBehind: 1 });
});

it('the upgrade test upgrades from HEAD if the latest migration is not committed yet', async () => {
  expect(await findIn([INIT, SECOND, THIRD])).toEqual({ commit: '1', migrationsBehind: 1 });
});

it('the upgrade test does not upgrade from a commit whose first migration differs from the current one', async () => {
  const squashed = { '0000_init': 'create table a_and_b ()', '0001_next': 'create table d ()' };
  expect(await findIn([THIRD, squashed, squashed])).toEqual({
    missing: 'no commit has fewer migrations and the same first one',
  });
});
