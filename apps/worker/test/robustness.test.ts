import { createServer } from 'node:net';
import { Bells, connectWorker, duplicate, keepPunctual, PostgresClock, QUEUES } from '@carillon/queue';
import { eventually, insertSchedules, type TestDatabase, useDatabase } from '@carillon/testkit';
import { Worker } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { defineHandler } from '../src/define.js';
import { Registry } from '../src/registry.js';
import { awaitRun, insertDue, startTestWorker } from './support.js';

const crowded = useDatabase();
const broken = useDatabase();
const silent = useDatabase();
const clocks = useDatabase();
const expired = useDatabase();

let finish: (() => void) | null = null;
const untilTold = defineHandler(
  'test-until-told',
  () =>
    new Promise<void>((resolve) => {
      finish = resolve;
    }),
);

let running = 0;
let mostRunning = 0;
const countsItself = defineHandler('test-counts-itself', async () => {
  mostRunning = Math.max(mostRunning, ++running);
  // The first runs wait for each other, so that three runs overlap however busy the machine is.
  await eventually(() => mostRunning >= 3);
  await new Promise((resolve) => setTimeout(resolve, 20));
  running--;
});
const registry = new Registry({ handlers: [untilTold, countsItself], schedules: [] });
const start = (database: TestDatabase, env: Record<string, string>) =>
  startTestWorker(database, env, undefined, registry);
const counting = { target: { type: 'handler' as const, name: 'test-counts-itself' } };

describe('Worker', () => {
  it('a worker with due schedules and waiting runs never processes more runs at once than WORKER_CONCURRENCY', async () => {
    const at = new Date().toISOString();
    const ids = await insertSchedules(
      crowded,
      Array.from({ length: 40 }, () => ({ ...counting, rule: { at } })),
    );
    // Half of the schedules get a queued run in place of their agenda row, so that a worker claims them as waiting
    // runs.
    await crowded.pool.query(
      `with due as (delete from carillon.agenda where schedule_id % 2 = 0 returning *)
       insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, handler, status, due_at,
                                  recorded_at, happened_at, next_attempt_at)
       select schedule_id, occurrence_at, 'rule', date_trunc('month', now() at time zone 'UTC'), project_id, 1, handler, 'queued',
              due_at, now(), now(), now() from due`,
    );
    const worker = await start(crowded, { WORKER_CONCURRENCY: '3' });
    await Promise.all(ids.map((id) => awaitRun(crowded, id, ({ status }) => status === 'succeeded')));
    await worker.stop();
    expect(mostRunning).toBe(3);
  });

  it('due runs are delivered even if the concurrent claim of waiting runs fails', async () => {
    const worker = await start(broken, {});
    const waiting = await insertDue(broken, {
      target: { type: 'webhook', url: 'http://127.0.0.1:1/', headers: {} },
    });
    await awaitRun(broken, waiting);
    // Without this table the claim can't store the previous attempt, so the retry can't be claimed.
    await broken.pool.query('alter table carillon.attempts rename to attempts_away');
    await broken.pool.query(`update carillon.runs set next_attempt_at = now() where schedule_id = $1`, [
      waiting,
    ]);
    const retry = { maxAttempts: 1 };
    const due = await insertDue(broken, { target: { type: 'handler', name: 'noop' }, retry });
    expect(await awaitRun(broken, due)).toMatchObject({ status: 'succeeded', attempt: 1 });
    await broken.pool.query('alter table carillon.attempts_away rename to attempts');
    await worker.stop();
  });

  it('if the lease of a run expires while its worker still processes it, the sweep of that worker does not take the run back', async () => {
    // The lease is extended every third of 60 s, so many sweeps run between two extensions.
    const worker = await start(expired, { LEASE_MS: '60000' });
    const target = { type: 'handler' as const, name: 'test-until-told' };
    const id = await insertDue(expired, { target, retry: { maxAttempts: 1 } });
    const { pool } = expired;
    // The test waits until the handler runs. Before that, the answer to the claim may still be on its way, and the
    // worker does not yet know that the run is its own.
    await eventually(() => finish !== null, { what: 'the start of the handler' });
    const { rows } = await pool.query<{ at: number }>(
      `update carillon.leases set held_until = now() - interval '1 s' returning now() as at`,
    );
    const expiredAt = rows[0]?.at;
    const isSwept = `select from carillon.installation where swept_at > to_timestamp($1::float8 / 1000) + interval '1 s'`;
    await eventually(async () => (await pool.query(isSwept, [expiredAt])).rowCount === 1);
    finish?.();
    expect(await awaitRun(expired, id)).toMatchObject({ status: 'succeeded', attempt: 1 });
    await worker.stop();
  });

  it('a worker stops even if Redis accepts connections but answers nothing', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const worker = await start(silent, { REDIS_URL: `redis://127.0.0.1:${port}` });
    const id = await insertDue(silent, { target: { type: 'handler', name: 'noop' } });
    await awaitRun(silent, id, ({ status }) => status === 'succeeded');
    await worker.stop();
    server.close();
  });
});

describe('Bells', () => {
  it('a bell (a delayed job that wakes a worker) rings by the clock of Postgres on a machine whose own clock is an hour behind', async () => {
    const redis = connectWorker(clocks.redisUrl, () => {});
    const clock = new PostgresClock(Date.now);
    await clock.ask(async () => ({ nowAt: Date.now() + 3_600_000 }));
    const bells = new Bells({
      redis,
      prefix: clocks.prefix,
      clock,
      process: 'test',
      horizonMs: 60_000,
      onArmed: () => {},
    });
    const stopped = new AbortController();
    const rung: number[] = [];
    const worker = new Worker(QUEUES.bells, async () => void rung.push(clock.now()), {
      connection: duplicate(redis),
      prefix: clocks.prefix,
    });
    const ringAt = Math.ceil((clock.now() + 1_500) / 5) * 5;
    await bells.arm([ringAt]);
    const punctual = keepPunctual(redis, bells.queue, {
      clock,
      localNow: Date.now,
      maxLookMs: 100,
      signal: stopped.signal,
    });
    await eventually(() => rung.length > 0);
    expect(rung[0]).toBeGreaterThanOrEqual(ringAt);
    stopped.abort();
    await punctual;
    await worker.close();
    await bells.close();
    redis.disconnect();
  });
});
