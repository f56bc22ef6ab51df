import { openDatabase, triggerSchedule } from '@carillon/db';
import type { Outcome, ScheduleInput } from '@carillon/shared';
import { eventually, insertSchedules, TcpProxy, useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { joinHooks } from '../src/pipeline/run-hooks.js';
import { claimAll, insertDue, onlyOne, readRun, useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);
const SUCCEEDED: Outcome = { kind: 'succeeded' };
const FAILED: Outcome = { kind: 'failed', isTransient: true, errorCode: 'error', error: 'failed on purpose' };
const GONE: Outcome = { ...FAILED, isTransient: false, isGone: true };
const FAR_AWAY: ScheduleInput = { rule: { cron: '0 0 1 1 *' } };

const statusOf = async (id: number) =>
  (await database.pool.query('select status from carillon.schedules where id = $1', [id])).rows[0]?.status;

const REFUSE_TO_PAUSE = `
  create function refuse_to_pause() returns trigger language plpgsql as $$ begin
    if new.status = 'paused' and new.key = 'refused' then raise exception 'refused by the test'; end if;
    return new;
  end $$;
  create trigger refuse_to_pause before update on carillon.schedules for each row execute function refuse_to_pause()`;
const ALLOW_TO_PAUSE = 'drop trigger refuse_to_pause on carillon.schedules';

describe('follow-ups of closed runs', () => {
  it('the hook afterClose is called once for each closed run', async () => {
    const [id] = await insertSchedules(database, [{ id: 'hooked', rule: { at: new Date().toISOString() } }]);
    const closed: string[] = [];
    const hooks = joinHooks([
      { prefix: 'hooked', afterClose: ({ closed: { status } }) => void closed.push(status) },
    ]);
    const { flights, finalizer } = await claimAll({ ...worker.context, hooks });
    finalizer.close(onlyOne(flights), SUCCEEDED);
    await finalizer.finish();
    expect(closed).toEqual(['succeeded']);
    expect((await readRun(database, id as number))?.status).toBe('succeeded');
  });

  it('closing a failed attempt sets the wake-up for its retry', async () => {
    const id = await insertDue(database, { retry: { maxAttempts: 2, baseDelay: 'PT30S', jitter: false } });
    const { flights, finalizer } = await claimAll(worker.context);
    finalizer.close(onlyOne(flights), FAILED);
    await finalizer.finish();
    const { bells, clock } = worker.context;
    const { nextAttemptAt } = (await readRun(database, id)) ?? {};
    expect(nextAttemptAt).not.toBeNull();
    // The worker estimates the time of Postgres, so the bell (the wake-up) may ring a moment before or after the
    // instant in the row.
    await eventually(async () =>
      [...((await bells.readArmed(clock.now(), 60_000)) ?? [])].some(
        (ringAt) => Math.abs(ringAt - (nextAttemptAt ?? 0)) < 5_000,
      ),
    );
  });

  it('a run that fails for good is logged and counted as failed once, and a run that will be retried is not', async () => {
    await insertDue(database, { retry: { maxAttempts: 2, baseDelay: 'PT30S', jitter: false } });
    await insertDue(database, { retry: { maxAttempts: 1 } });
    const { flights, finalizer } = await claimAll(worker.context);
    worker.context.metrics.take();
    const before = worker.messages.filter((message) => message.startsWith('Run failed for good')).length;
    for (const flight of flights) finalizer.close(flight, { ...FAILED, errorCode: 'http_503' });
    await finalizer.finish();
    const after = worker.messages.filter((message) => message.startsWith('Run failed for good')).length;
    expect(flights).toHaveLength(2);
    expect(after - before).toBe(1);
    expect(worker.context.metrics.take()).toContainEqual({
      name: 'carillon_runs_failed_total',
      labels: 'target="handler",reason="http_5xx"',
      value: 1,
    });
  });

  it('the lateness of a run is counted once, when its first attempt ends, and not when a deferral or a retry ends', async () => {
    const id = await insertDue(database, { retry: { maxAttempts: 3, baseDelay: 'PT0S', jitter: false } });
    const counted = () =>
      worker.context.metrics.take().find(({ name }) => name === 'carillon_lateness_seconds_count')?.value ??
      0;
    const deferred: Outcome = {
      kind: 'deferred',
      retryInMs: 0,
      reasonCode: 'origin_busy',
      reason: 'busy now',
    };
    const results: number[] = [];
    for (const outcome of [deferred, FAILED, SUCCEEDED]) {
      const { flights, finalizer } = await eventually(async () => {
        const claimed = await claimAll(worker.context);
        return claimed.flights.length > 0 ? claimed : null;
      });
      const flight = onlyOne(flights);
      flight.sentAt = worker.context.clock.now();
      worker.context.metrics.take();
      finalizer.close(flight, outcome);
      await finalizer.finish();
      results.push(counted());
    }
    expect(results).toEqual([0, 1, 0]);
    expect((await readRun(database, id))?.status).toBe('succeeded');
  });

  it('a run that is queued and then deferred has a queue wait until its first claim, and a deferral wait from then on', async () => {
    const [id] = (await insertSchedules(database, [FAR_AWAY])) as [number];
    await triggerSchedule(database.pool, { ref: { id }, actor: 'test' });
    await database.pool.query(
      `update carillon.runs set recorded_at = recorded_at - interval '5 s', due_at = due_at - interval '5 s' where schedule_id = $1`,
      [id],
    );
    const busy = { reasonCode: 'origin_busy', reason: 'busy now' } as const;
    const claims: number[] = [];
    let recordedAt = 0;
    worker.context.metrics.take();
    for (const outcome of [{ kind: 'deferred', retryInMs: 0, ...busy } as const, SUCCEEDED]) {
      const { flights, finalizer } = await eventually(async () => {
        const claimed = await claimAll(worker.context);
        return claimed.flights.length > 0 ? claimed : null;
      });
      const flight = onlyOne(flights);
      claims.push(flight.run.claimedAt);
      recordedAt = flight.run.recordedAt;
      flight.sentAt = worker.context.clock.now();
      finalizer.close(flight, outcome);
      await finalizer.finish();
    }
    const [firstClaimAt = 0, lastClaimAt = 0] = claims;
    const grown = worker.context.metrics.take();
    const secondsOf = (name: string) =>
      grown.find((counter) => counter.name === `carillon_${name}_wait_seconds_sum`)?.value;
    expect(secondsOf('queue')).toBeCloseTo((firstClaimAt - recordedAt) / 1_000, 6);
    expect(secondsOf('deferral')).toBeCloseTo((lastClaimAt - firstClaimAt) / 1_000, 6);
    expect(firstClaimAt - recordedAt).toBeGreaterThan(4_000);
    expect(lastClaimAt).toBeGreaterThan(firstClaimAt);
  });

  it('the next queued run of a schedule starts when the current run ends', async () => {
    const [id] = (await insertSchedules(database, [{ ...FAR_AWAY, overlap: 'queue' }])) as [number];
    const request = { ref: { id }, actor: 'test' };
    await triggerSchedule(database.pool, request);
    const { flights, finalizer } = await claimAll(worker.context);
    const first = onlyOne(flights);
    await triggerSchedule(database.pool, request);
    expect((await claimAll(worker.context)).flights).toEqual([]);
    finalizer.close(first, SUCCEEDED);
    await finalizer.finish();
    expect(onlyOne((await claimAll(worker.context)).flights).run.scheduleId).toBe(id);
  });

  it('a schedule whose receiver answers 410 Gone is paused', async () => {
    const [id] = (await insertSchedules(database, [FAR_AWAY])) as [number];
    await triggerSchedule(database.pool, { ref: { id }, actor: 'test' });
    const { flights, finalizer } = await claimAll(worker.context);
    finalizer.close(onlyOne(flights), GONE);
    await finalizer.finish();
    expect(await statusOf(id)).toBe('paused');
  });

  it('a schedule whose receiver answers 410 Gone is paused even if the connection to Postgres breaks right after the run was closed', async () => {
    const proxy = await TcpProxy.before(database.url);
    const url = proxy.url(database.url);
    const pool = openDatabase({ url, max: 2, applicationName: 'carillon-proxied', onError: () => {} });
    const [id] = (await insertSchedules(database, [FAR_AWAY])) as [number];
    await triggerSchedule(database.pool, { ref: { id }, actor: 'test' });
    const { flights, finalizer } = await claimAll({ ...worker.context, pool });
    worker.context.metrics.take();
    proxy.ambush({ bytes: Buffer.from('commit\0'), isDelivered: true, times: 1 });
    finalizer.close(onlyOne(flights), GONE);
    await finalizer.finish();
    expect(proxy.ambushesLeft).toBe(0);
    expect(await statusOf(id)).toBe('paused');
    const names = worker.context.metrics.take().map(({ name }) => name);
    expect(names).toContain('carillon_runs_failed_total');
    expect(names).not.toContain('carillon_refused_writes_total');
    await pool.end();
    await proxy.close();
  });

  it('pauseAfterFailures 2 pauses a schedule after two failed runs in a row, but not after a success and a failure', async () => {
    const limit = { retry: { maxAttempts: 1 }, pauseAfterFailures: 2 };
    const [failing, recovering] = (await insertSchedules(database, [
      { ...FAR_AWAY, ...limit },
      { ...FAR_AWAY, ...limit },
    ])) as [number, number];
    for (const isLast of [false, true]) {
      for (const id of [failing, recovering])
        await triggerSchedule(database.pool, { ref: { id }, actor: 'test' });
      const { flights, finalizer } = await claimAll(worker.context);
      expect(flights).toHaveLength(2);
      for (const flight of flights)
        finalizer.close(flight, isLast || flight.run.scheduleId === failing ? FAILED : SUCCEEDED);
      await finalizer.finish();
    }
    expect([await statusOf(failing), await statusOf(recovering)]).toEqual(['paused', 'active']);
  });

  it('if pausing one schedule whose receiver is gone fails, the error is logged and other such schedules are still paused', async () => {
    const [refused, other] = (await insertSchedules(database, [
      { ...FAR_AWAY, id: 'refused' },
      FAR_AWAY,
    ])) as [number, number];
    const closeAsGone = async (ids: readonly number[]) => {
      for (const id of ids) await triggerSchedule(database.pool, { ref: { id }, actor: 'test' });
      const { flights, finalizer } = await claimAll(worker.context);
      expect(flights.map(({ run }) => run.scheduleId)).toEqual(ids);
      for (const flight of flights) finalizer.close(flight, GONE);
      await finalizer.finish();
    };
    await database.pool.query(REFUSE_TO_PAUSE);
    await closeAsGone([refused, other]);
    expect([await statusOf(refused), await statusOf(other)]).toEqual(['active', 'paused']);
    expect(worker.messages).toContain(
      'A follow-up of closed runs failed; the sweep promotes the queued runs',
    );
    await database.pool.query(ALLOW_TO_PAUSE);
    await closeAsGone([refused]);
    expect(await statusOf(refused)).toBe('paused');
  });
});
