import { Pool } from 'undici';
import type { Arena } from '../harness/arena.js';
import { apiCrew, onSite, workerCrew } from '../harness/carillon.js';
import { Crew } from '../harness/crew.js';
import { number, percent } from '../harness/format.js';
import { faultsIn } from '../harness/one-shots.js';
import { interleave, type Race } from '../harness/race.js';
import { median, percentile, spread } from '../harness/statistics.js';
import { areAllRunsClosed } from '../harness/tables.js';
import { sleep, waitUntil } from '../harness/wait.js';

const PER_SECOND = 200;
const P99_GOAL_MS = 50;
const KEY = 'ck_bench_admin_key_0123456789';

/**
 * Creates schedules that are due immediately, and measures the time from the answer of the API to the start of the
 * handler.
 */
export const atOnce: Race = {
  name: 'at-once',
  work: `for 20 s, ${PER_SECOND} schedules a second that are due at once are created over HTTP. The race measures the time from the answer of the API to the start of the handler`,
  rounds: 3,
  async run(context) {
    const seconds = context.isQuick ? 2 : 20;
    const [rounds] = await interleave(context, [{ name: 'Carillon' }], () =>
      createNow(context.arena, seconds),
    );
    const samples = rounds?.samples ?? [];
    const after = (share: number) => samples.map((afterMs) => percentile(afterMs, share));
    const p99 = median(after(0.99));
    return {
      head: ['', 'p50 ms', 'p99 ms', 'latest ms', 'spread of p99'],
      rows: [
        [
          'Carillon this commit',
          number(median(after(0.5))),
          number(p99),
          number(median(after(1))),
          percent(spread(after(0.99))),
        ],
      ].slice(rounds?.refused ? 1 : 0),
      goals: [{ goal: `p99 < ${P99_GOAL_MS} ms`, figure: `${number(p99)} ms`, isMet: p99 < P99_GOAL_MS }],
      notes: ['The figure is 0 if the handler began before the answer arrived.'],
      plots: [],
      refused: rounds?.refused ? [rounds.refused] : [],
    };
  },
};

function createNow(arena: Arena, seconds: number): Promise<Int32Array> {
  return onSite(arena, async ({ pool, env }) => {
    const count = PER_SECOND * seconds;
    const api = await Crew.start(apiCrew({ ...env, CARILLON_ADMIN_KEY: KEY }));
    const workers = await Crew.start(workerCrew({ ...env, BENCH_JOBS: String(count) }));
    const client = new Pool(/"url":"([^"]+)"/.exec(api.outputs[0] ?? '')?.[1] ?? '', { connections: 50 });
    try {
      await arena.maintain(env.DATABASE_URL);
      const startedAt = Date.now();
      const answeredAt = new Float64Array(count);
      const create = async (n: number) => {
        await sleep(startedAt + (n * 1_000) / PER_SECOND - Date.now());
        const { statusCode, body } = await client.request({
          path: '/v1/schedules',
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
          body: JSON.stringify({
            rule: { in: 'PT0S' },
            target: { type: 'handler', name: 'bench' },
            payload: { n, at: startedAt },
          }),
        });
        const text = await body.text();
        answeredAt[n] = Date.now();
        if (statusCode !== 201)
          throw new Error(`POST /v1/schedules answered ${statusCode}: ${text.slice(0, 300)}`);
      };
      await Promise.all(Array.from({ length: count }, (_, n) => create(n)));
      await waitUntil(() => workers.handled >= count, {
        everyMs: 20,
        withinMs: 60_000,
        what: `${count} runs`,
      });
      await waitUntil(() => areAllRunsClosed(pool), {
        everyMs: 20,
        withinMs: 60_000,
        what: 'all runs closed',
      });
      const report = await workers.report();
      const faults = faultsIn(
        report,
        Array.from({ length: count }, (_, n) => ({ n, at: 0 })),
      );
      if (faults.length > 0) throw new Error(`it did not hold: ${faults.join('; ')}`);
      // `latenessMs` holds when each handler began, in milliseconds after the start of the round.
      return report.latenessMs.map((beganMs, n) => Math.max(0, startedAt + beganMs - (answeredAt[n] ?? 0)));
    } finally {
      await client.destroy();
      await Promise.all([api.end(), workers.end()]);
    }
  });
}
