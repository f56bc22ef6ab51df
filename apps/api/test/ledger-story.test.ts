import { readFile } from 'node:fs/promises';
import {
  type ClaimedRun,
  cancelRun,
  cancelSchedule,
  editSchedule,
  explainOccurrences,
  pauseSchedule,
  promoteQueued,
  replaceSchedule,
  replayFailed,
  replayRun,
  rescheduleNext,
  resumeSchedule,
  stepTzdata,
  triggerSchedule,
} from '@carillon/db';
import { LEDGER_STEPS, MINUTE_MS, type Outcome } from '@carillon/shared';
import { draft, insertSchedules, registerTestWorker, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi();
const { database } = api;
const engine = useEngine(database);

/**
 * Two hours ago, at a whole minute. The tests can work in the past, because the engine's statements take the time as an
 * argument.
 */
const T0 = Math.floor(Date.now() / 60_000) * 60_000 - 7_200_000;
const ORIGIN = 'http://down.example';
const iso = (at: number) => new Date(at).toISOString();

const circuitOpen = (retryInMs: number): Outcome => ({
  kind: 'deferred',
  retryInMs,
  reasonCode: 'circuit_open',
  reason: `${ORIGIN} keeps failing; deliveries to it pause for a while`,
});
const REFUSED: Outcome = {
  kind: 'failed',
  isTransient: true,
  errorCode: 'connection_refused',
  error: 'connection refused',
};

let number = 0;
/** Creates a schedule that fires every minute, first at T0 + 1 minute. */
async function everyMinute(more: object = {}) {
  const key = `story-${++number}`;
  const [id] = (await insertSchedules(database, [{ id: key, rule: { every: 'PT1M' }, ...more }], {
    nowAt: T0,
  })) as [number];
  await database.pool.query('update carillon.schedules set defined_at = $2, created_at = $2 where id = $1', [
    id,
    iso(T0),
  ]);
  return { id, key, change: (now: number) => ({ ref: { id }, actor: 'ops', now }) };
}

/**
 * Claims the run of a schedule and ends its attempt. The first byte of the delivery counts as sent at the time of the
 * claim.
 */
async function end(id: number, at: number, outcome: Outcome): Promise<void> {
  const runs = await engine.claim(at);
  const run = runs.find(({ scheduleId }) => scheduleId === id);
  if (!run) throw new Error(`nothing to claim at ${iso(at)}`);
  await engine.closeAll([{ run, outcome, sentAt: at }], at);
}

const ledger = async (key: string, query: string) =>
  (await api.call('GET', `/v1/schedules/${key}/ledger?${query}`)).body;
/** The ledger entry of the first occurrence. */
const firstOf = async (key: string) =>
  (await ledger(key, `from=${iso(T0)}&to=${iso(T0 + MINUTE_MS)}`)).items[0];
const kinds = ({ story }: { story: { kind: string }[] }) => story.map(({ kind }) => kind);

describe('The story of an occurrence', () => {
  it('a run that waited 280 s for an open circuit breaker is 280 s late, and the ledger says from when to when it waited', async () => {
    const dueAt = T0 + MINUTE_MS;
    const { id, key } = await everyMinute({ rule: { at: iso(dueAt) } });
    for (let second = 0; second < 280; second += 40)
      await end(id, dueAt + second * 1_000, circuitOpen(40_000));
    const waiting = await firstOf(key);
    expect(waiting).toMatchObject({
      status: 'retrying',
      why: `not sent yet: deferred 7 times since ${iso(dueAt)} by an open circuit (${ORIGIN} keeps failing; deliveries to it pause for a while); it is tried again at ${iso(dueAt + 280_000)}`,
    });
    await end(id, dueAt + 280_000, { kind: 'succeeded' });

    const entry = await firstOf(key);
    expect(entry.why).toBe(
      `ran 280 s late: deferred 7 times from ${iso(dueAt)} to ${iso(dueAt + 280_000)} by an open circuit (${ORIGIN} keeps failing; deliveries to it pause for a while)`,
    );
    expect(kinds(entry)).toEqual(['named', 'due', 'claimed', 'deferred', 'attempt', 'succeeded']);
    expect(entry.story[3]).toEqual({
      at: iso(dueAt),
      until: iso(dueAt + 280_000),
      kind: 'deferred',
      text: `deferred 7 times by an open circuit (${ORIGIN} keeps failing; deliveries to it pause for a while)`,
      actor: null,
      attempt: 1,
      outcome: null,
      reasonCode: 'circuit_open',
      count: 7,
      version: null,
    });
    const { body } = await api.call('GET', `/v1/runs/${entry.runId}`);
    expect(body).toMatchObject({ latenessMs: 280_000, why: entry.why, story: entry.story });
  });

  it('the ledger lists each attempt of a run with its result, and the run keeps the lateness of its first attempt', async () => {
    const { id, key } = await everyMinute({ retry: { maxAttempts: 5, baseDelay: 'PT1S', jitter: false } });
    const dueAt = T0 + MINUTE_MS;
    await end(id, dueAt + 9, REFUSED);
    expect((await firstOf(key)).why).toBe(
      `began 9 ms late: attempt 1 failed (connection refused) at ${iso(dueAt + 9)}; it is tried again at ${iso(dueAt + 1_009)}`,
    );
    await end(id, dueAt + 2_000, REFUSED);
    await end(id, dueAt + 5_000, circuitOpen(25_000));
    await end(id, dueAt + 30_000, { kind: 'succeeded' });
    const entry = await firstOf(key);
    expect(entry.why).toBe(
      `began 9 ms late: attempts 1 to 2 failed from ${iso(dueAt + 9)} to ${iso(dueAt + 2_000)} (connection refused); deferred once from ${iso(dueAt + 5_000)} to ${iso(dueAt + 30_000)} by an open circuit (${ORIGIN} keeps failing; deliveries to it pause for a while); succeeded at attempt 3, 30 s after it was due`,
    );
    const { body } = await api.call('GET', `/v1/runs/${entry.runId}`);
    expect(body.latenessMs).toBe(9);
  });

  it('the ledger says who paused, resumed and edited a schedule while a run was open, and which version the run kept', async () => {
    const { id, key, change } = await everyMinute();
    const dueAt = T0 + MINUTE_MS;
    await end(id, dueAt, circuitOpen(10_000));
    await pauseSchedule(database.pool, change(dueAt + 5_000), { note: 'incident 7', untilAt: null });
    expect((await firstOf(key)).why).toMatch(
      new RegExp(`paused by ops \\(note: incident 7\\) at ${iso(dueAt + 5_000)}; held by a pause$`),
    );
    await resumeSchedule(database.pool, change(dueAt + 20_000));
    const edited = draft({ rule: { every: 'PT2M' } }, dueAt + 21_000);
    await editSchedule(database.pool, change(dueAt + 21_000), edited);
    await end(id, dueAt + 22_000, { kind: 'succeeded' });
    const entry = await firstOf(key);
    expect(kinds(entry)).toEqual([
      'named',
      'due',
      'claimed',
      'deferred',
      'paused',
      'resumed',
      'edited',
      'attempt',
      'succeeded',
    ]);
    expect(entry).toMatchObject({ version: 1 });
    expect(entry.story[6]).toMatchObject({ actor: 'ops', version: 4 });
    expect(entry.why).toContain(`resumed by ops at ${iso(dueAt + 20_000)}`);
    expect(entry.why).toContain(`edited by ops (from version 3 to version 4) at ${iso(dueAt + 21_000)}`);
  });

  it('if a run was due during a pause and ran after it, the ledger names who paused the schedule and since when', async () => {
    const { id, key, change } = await everyMinute({ misfire: { policy: 'all', grace: 'PT1H' } });
    const [dueAt, pausedAt] = [T0 + MINUTE_MS, T0 + 20_000];
    await pauseSchedule(database.pool, change(T0 + 5_000), { note: 'an earlier pause', untilAt: null });
    await resumeSchedule(database.pool, change(T0 + 10_000));
    await pauseSchedule(database.pool, change(pausedAt), { note: 'incident 8', untilAt: null });
    const resumedAt = dueAt + 30_000;
    await resumeSchedule(database.pool, change(resumedAt));
    await end(id, resumedAt, { kind: 'succeeded' });
    expect((await firstOf(key)).why).toBe(
      `ran 30 s late: paused by ops (note: incident 8) at ${iso(pausedAt)}; resumed by ops at ${iso(resumedAt)}`,
    );
    await end(id, dueAt + MINUTE_MS, { kind: 'succeeded' });
    const { items } = await ledger(key, `from=${iso(dueAt + MINUTE_MS)}&to=${iso(dueAt + MINUTE_MS)}`);
    expect(items).toMatchObject([{ why: 'ran 0 ms late' }]);
  });

  it('if a run was started by hand during a pause, the ledger names who paused the schedule and since when', async () => {
    const { key, change } = await everyMinute();
    const at = T0 + 2_000;
    await pauseSchedule(database.pool, change(T0 + 1_000), { note: null, untilAt: null });
    await triggerSchedule(database.pool, change(at));
    await engine.claim(at);
    const { items } = await ledger(key, `from=${iso(at)}&to=${iso(at)}`);
    expect(items).toMatchObject([{ why: `held by a pause: paused by ops at ${iso(T0 + 1_000)}` }]);
  });

  it('if a run waited for the previous run of its schedule to end, the ledger says from when to when the run was queued', async () => {
    const { id, key } = await everyMinute({ overlap: 'queue' });
    const dueAt = T0 + 2 * MINUTE_MS;
    const [first] = (await engine.claim(T0 + MINUTE_MS)).filter(({ scheduleId }) => scheduleId === id);
    await engine.claim(dueAt);
    const why = async () =>
      (await ledger(key, `from=${iso(dueAt)}&to=${iso(dueAt)}`)).items.map(
        (item: { why: string }) => item.why,
      );
    expect(await why()).toEqual([`waiting for its turn: queued since ${iso(dueAt)}`]);
    const endedAt = dueAt + 40_000;
    await engine.succeed(first as ClaimedRun, endedAt);
    await promoteQueued(database.pool, [id], endedAt);
    await end(id, endedAt, { kind: 'succeeded' });
    expect(await why()).toEqual([
      `ran 40 s late: queued from ${iso(dueAt)} to ${iso(endedAt)}, until its turn came`,
    ]);
  });

  it('if a run waited for the previous run and was then deferred, the ledger lists both waits: the queue ends and the deferral begins with the first claim', async () => {
    const { id, key } = await everyMinute({ overlap: 'queue' });
    const dueAt = T0 + 2 * MINUTE_MS;
    const [first] = (await engine.claim(T0 + MINUTE_MS)).filter(({ scheduleId }) => scheduleId === id);
    await engine.claim(dueAt);
    const claimedAt = dueAt + 10_000;
    await engine.succeed(first as ClaimedRun, claimedAt);
    await promoteQueued(database.pool, [id], claimedAt);
    const [run] = (await engine.claim(claimedAt)).filter(({ scheduleId }) => scheduleId === id);
    // The worker finds the circuit open only 2 s after the claim.
    await engine.closeAll(
      [{ run: run as ClaimedRun, outcome: circuitOpen(18_000), sentAt: claimedAt }],
      claimedAt + 2_000,
    );
    await end(id, claimedAt + 20_000, { kind: 'succeeded' });
    const { items } = await ledger(key, `from=${iso(dueAt)}&to=${iso(dueAt)}`);
    expect(items[0].why).toBe(
      `ran 30 s late: queued from ${iso(dueAt)} to ${iso(claimedAt)}, until its turn came; deferred once from ${iso(claimedAt)} to ${iso(claimedAt + 20_000)} by an open circuit (${ORIGIN} keeps failing; deliveries to it pause for a while)`,
    );
    expect(kinds(items[0])).toEqual(['named', 'due', 'queued', 'deferred', 'attempt', 'succeeded']);
  });

  it('if no worker claimed a run for a while, the ledger says how long after its due time the run was claimed', async () => {
    const { id, key } = await everyMinute({ misfire: { policy: 'once', grace: 'PT1H' } });
    await end(id, T0 + MINUTE_MS + 45_000, { kind: 'succeeded' });
    expect((await firstOf(key)).why).toBe('ran 45 s late: claimed 45 s after it was due');
  });

  it('the ledger says that an occurrence and a run that was started by hand wait for a handler that no live worker has', async () => {
    const target = { type: 'handler', name: 'unheard-of' };
    const { id, key, change } = await everyMinute({ target });
    const { workerId } = await registerTestWorker(database);
    await database.pool.query(
      `update carillon.workers set alive_until = now() + interval '1 hour' where id = $1`,
      [workerId],
    );
    const at = T0 + 30_000;
    await triggerSchedule(database.pool, change(at));
    const query = `from=${iso(at)}&to=${iso(T0 + MINUTE_MS)}`;
    const sentences = async () => (await ledger(key, query)).items.map(({ why }: { why: string }) => why);
    const why = 'waiting: no live worker has the handler unheard-of';
    expect(await sentences()).toEqual([why, why]);
    const occurrences = [{ scheduleId: id, occurrenceAt: T0 + MINUTE_MS }];
    const request = { projectId: database.projectId, occurrences, nowAt: Date.now() };
    expect(await explainOccurrences(database.pool, request)).toEqual([why]);
    await database.pool.query(`update carillon.workers set handlers = '{unheard-of}' where id = $1`, [
      workerId,
    ]);
    expect(await sentences()).toEqual(['about to start', 'due, not claimed by a worker yet']);
  });

  it('the ledger says who rescheduled an occurrence and who cancelled its run', async () => {
    const { id, key, change } = await everyMinute();
    const dueAt = T0 + MINUTE_MS;
    await rescheduleNext(database.pool, change(T0 + 1_000), dueAt + 20_000);
    await end(id, dueAt + 20_000, circuitOpen(10_000));
    const run = { scheduleId: id, occurrenceAt: dueAt, origin: 'rule' as const };
    await cancelRun(database.pool, {
      projectId: database.projectId,
      run,
      actor: 'ops',
      now: dueAt + 25_000,
    });
    const entry = await firstOf(key);
    expect(entry.status).toBe('cancelled');
    expect(kinds(entry)).toEqual([
      'rescheduled',
      'named',
      'due',
      'claimed',
      'deferred',
      'cancelled',
      'cancelled',
    ]);
    expect(entry.why).toMatch(
      /^cancelled: cancelled by ops: rescheduled by ops \(to .*\) at .*; deferred once from /,
    );
  });

  it('the ledger names each cause for which a run was deferred (limit, open circuit, missing handler) with its own start and end', async () => {
    const { id, key } = await everyMinute();
    const dueAt = T0 + MINUTE_MS;
    const limited: Outcome = {
      kind: 'deferred',
      retryInMs: 5_000,
      reasonCode: 'project_rate',
      reason: 'the project has reached its limit of deliveries per second',
    };
    await end(id, dueAt, limited);
    await end(id, dueAt + 5_000, circuitOpen(5_000));
    await end(id, dueAt + 10_000, limited);
    await end(id, dueAt + 15_000, {
      kind: 'deferred',
      retryInMs: 1_000,
      reasonCode: 'handler_missing',
      reason: 'this worker has no handler named noop',
    });
    await end(id, dueAt + 16_000, { kind: 'succeeded' });
    const { story } = await firstOf(key);
    const deferred = story.filter(({ kind }: { kind: string }) => kind === 'deferred');
    expect(
      deferred.map((each: Record<string, unknown>) => [each.reasonCode, each.count, each.at, each.until]),
    ).toEqual([
      ['project_rate', 2, iso(dueAt), iso(dueAt + 15_000)],
      ['circuit_open', 1, iso(dueAt + 5_000), iso(dueAt + 10_000)],
      ['handler_missing', 1, iso(dueAt + 15_000), iso(dueAt + 16_000)],
    ]);
  });
});

describe('A replayed run in the ledger', () => {
  it('the ledger names the author and the time of each replay of a run, whether it was replayed alone or together with other runs', async () => {
    const dueAt = T0 + MINUTE_MS;
    const { id, key } = await everyMinute({ rule: { at: iso(dueAt) }, retry: { maxAttempts: 1 } });
    await everyMinute({ rule: { at: iso(dueAt) }, retry: { maxAttempts: 1 } });
    const { projectId } = database;
    for (const run of await engine.claim(dueAt)) await engine.closeAll([{ run, outcome: REFUSED }], dueAt);
    const bulk = (actor: string, now: number, scheduleKeys?: string[]) =>
      replayFailed(database.pool, {
        projectId,
        filter: { scheduleKeys },
        limit: 100,
        perSecond: 1_000,
        actor,
        now,
      });
    const [first, second, third] = [dueAt + 10_000, dueAt + 20_000, dueAt + 30_000];
    expect(await bulk('day shift', first)).toMatchObject({ count: 2 });
    await end(id, first + 10, REFUSED);
    const run = { scheduleId: id, occurrenceAt: dueAt, origin: 'rule' as const };
    await replayRun(database.pool, { projectId, run, actor: 'ops', now: second });
    await end(id, second + 10, REFUSED);
    expect(await bulk('night shift', third, [key])).toMatchObject({ count: 1 });
    await end(id, third + 10, { kind: 'succeeded' });

    const entry = await firstOf(key);
    const replays = entry.story.filter(({ kind }: { kind: string }) => kind === 'replayed');
    expect(replays.map(({ at, text }: Record<string, string>) => [at, text])).toEqual([
      [iso(first), 'replayed by day shift (bulk replay)'],
      [iso(second), 'replayed by ops'],
      [iso(third), 'replayed by night shift (bulk replay)'],
    ]);
    expect(entry.why).toContain(`replayed by night shift (bulk replay) at ${iso(third)}`);
    const { body } = await api.call('GET', `/v1/runs/${entry.runId}`);
    expect(body).toMatchObject({ why: entry.why, story: entry.story });
    const request = { projectId, occurrences: [run], nowAt: Date.now() };
    expect(await explainOccurrences(database.pool, request)).toEqual([entry.why]);
    const other = await ledger(`story-${number}`, `from=${iso(T0)}&to=${iso(dueAt)}`);
    expect(other.items[0].why).toContain(`replayed by day shift (bulk replay) at ${iso(first)}`);
  });
});

describe('A replaced schedule in the ledger', () => {
  /** A new definition, as a PUT stores it. */
  const replacement = (input: Parameters<typeof draft>[0], at: number) => ({
    ...draft(input, at),
    limits: {},
  });

  it('the ledger says who replaced a schedule by a PUT while a run was open, from which version to which, and which version the run kept', async () => {
    const { id, key, change } = await everyMinute();
    const dueAt = T0 + MINUTE_MS;
    await end(id, dueAt, circuitOpen(10_000));
    const at = dueAt + 5_000;
    await replaceSchedule(database.pool, change(at), replacement({ rule: { every: 'PT2M' } }, at));
    await end(id, dueAt + 12_000, { kind: 'succeeded' });
    const entry = await firstOf(key);
    expect(kinds(entry)).toEqual(['named', 'due', 'claimed', 'deferred', 'edited', 'attempt', 'succeeded']);
    expect(entry).toMatchObject({ version: 1 });
    const text = 'its schedule was replaced by ops (from version 1 to version 2)';
    expect(entry.story[4]).toMatchObject({ at: iso(at), kind: 'edited', actor: 'ops', version: 2, text });
    expect(entry.why).toContain(`${text} at ${iso(at)}`);
  });

  it('if a PUT starts a cancelled schedule again, neither the ledger nor the audit of occurrences reports occurrences between the cancellation and the PUT as missing', async () => {
    const { key, change } = await everyMinute();
    const cancelledAt = T0 + 90_000;
    await engine.claim(T0 + MINUTE_MS);
    await cancelSchedule(database.pool, change(cancelledAt));
    const at = T0 + 5 * MINUTE_MS + 1_000;
    await replaceSchedule(database.pool, change(at), replacement({ rule: { every: 'PT1H' } }, at));
    const range = `from=${iso(T0 + 2 * MINUTE_MS)}&to=${iso(at)}`;
    const { items } = await ledger(key, range);
    const why = `skipped: the schedule was cancelled at ${iso(cancelledAt)}, and replaced later`;
    expect(items.map((each: { at: string; why: string }) => [each.at, each.why])).toEqual(
      [2, 3, 4, 5].map((minute) => [iso(T0 + minute * MINUTE_MS), why]),
    );
    const audit = await api.call('GET', `/v1/audit/occurrences?schedule=${key}&${range}`);
    expect(audit.body).toMatchObject({ occurrences: 4, items: [] });
  });

  it('after a larger maxRuns restarts a finished schedule, the ledger and the audit report nothing as missing from the time while it was finished', async () => {
    const { id, key, change } = await everyMinute({ maxRuns: 1 });
    await end(id, T0 + MINUTE_MS, { kind: 'succeeded' });
    const at = T0 + 3 * MINUTE_MS + 1_000;
    // This edit leaves the schedule finished.
    const renamed = draft({ rule: { every: 'PT1M' }, maxRuns: 1, name: 'renamed' }, T0);
    await editSchedule(database.pool, change(T0 + 2 * MINUTE_MS + 1_000), renamed);
    await editSchedule(database.pool, change(at), draft({ rule: { every: 'PT1M' }, maxRuns: 2 }, T0));
    const range = `from=${iso(T0 + 2 * MINUTE_MS)}&to=${iso(at)}`;
    const why = 'skipped: the schedule had completed its runs, and started again later';
    expect((await ledger(key, range)).items).toMatchObject([{ why }, { why }]);
    const audit = await api.call('GET', `/v1/audit/occurrences?schedule=${key}&${range}`);
    expect(audit.body).toMatchObject({ occurrences: 2, items: [] });
  });
});

describe('Time zone data in the ledger', () => {
  it('the ledger and GET /v1/runs/:id say with which time zone data each occurrence of a schedule with a time zone was computed', async () => {
    const { key } = await everyMinute({ rule: { cron: '* * * * *' }, timezone: 'Europe/Berlin' });
    const { key: inUtc } = await everyMinute({ rule: { cron: '* * * * *' } });
    const periods: [number, string[]][] = [
      [T0 - MINUTE_MS, ['2025a']],
      [T0 + 90_000, ['2025a', '2025b']],
      [T0 + 150_000, ['2025b']],
    ];
    for (const [at, versions] of periods)
      await database.pool.query('insert into carillon.tzdata_periods values ($1, $2)', [iso(at), versions]);
    for (const minute of [1, 2, 3])
      for (const run of await engine.claim(T0 + minute * MINUTE_MS))
        await engine.succeed(run, T0 + minute * MINUTE_MS);
    const range = `from=${iso(T0 + 1)}&to=${iso(T0 + 4 * MINUTE_MS)}`;
    const { items } = await ledger(key, range);
    const named = (entry: { story: { kind: string; text: string }[] }) =>
      entry.story.find(({ kind }) => kind === 'named')?.text;
    const text = 'named by version 1 of the rule, computed with time zone data';
    expect(items.map(named)).toEqual([
      `${text} 2025a`,
      `${text} 2025a or 2025b`,
      `${text} 2025b`,
      `${text} 2025b`,
    ]);
    const { body } = await api.call('GET', `/v1/runs/${items[1].runId}`);
    expect(body.story).toEqual(items[1].story);
    expect((await ledger(inUtc, range)).items.map(named)).toEqual(
      Array(4).fill('named by version 1 of the rule'),
    );
    await database.pool.query('delete from carillon.tzdata_periods');
  });

  it('if newer time zone data has moved an occurrence, the ledger says with which version of the data it was computed', async () => {
    const key = 'moved-by-tzdata';
    const version = process.versions.tz ?? 'unknown';
    await registerTestWorker(database);
    const [id] = await insertSchedules(database, [
      { id: key, rule: { cron: '0 9 * * *' }, timezone: 'Europe/Berlin' },
    ]);
    await database.pool.query(
      `update carillon.agenda set occurrence_at = occurrence_at + interval '1 hour', due_at = due_at + interval '1 hour'
       where schedule_id = $1`,
      [id],
    );
    await database.pool.query(`update carillon.installation set tzdata = '2001a'`);
    expect(await stepTzdata(database.pool, { version, now: null })).toMatchObject({ retimed: 1 });
    const { nextRunAt } = (await api.call('GET', `/v1/schedules/${key}`)).body;
    const [entry] = (await ledger(key, `from=${nextRunAt}&to=${nextRunAt}`)).items;
    expect(entry).toMatchObject({ status: 'upcoming', version: 2 });
    expect(entry.story[0].text).toBe(
      `named by version 2 of the rule, computed with time zone data ${version}`,
    );
  });
});

describe('The order of the ledger', () => {
  it('with order=desc the ledger lists the newest occurrence first, and its pages together are the reverse of the ascending ledger', async () => {
    const { id, key } = await everyMinute();
    for (let minute = 1; minute <= 20; minute++)
      await end(id, T0 + minute * MINUTE_MS, { kind: 'succeeded' });
    const range = `from=${iso(T0)}&to=${iso(T0 + 30 * MINUTE_MS)}`;
    const whole = (await ledger(key, range)).items;
    expect(whole).toHaveLength(30);
    const paged: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: unknown[]; nextCursor: string | null } = await ledger(
        key,
        `${range}&order=desc&limit=7${cursor ? `&cursor=${cursor}` : ''}`,
      );
      paged.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(whole.toReversed());
  });

  it('with order=desc the ledger shows a gap (thousands of occurrences that a pause has skipped) as one entry', async () => {
    const { key, change } = await everyMinute({ rule: { every: 'PT1S' } });
    await pauseSchedule(database.pool, change(T0 + 60_000), { note: null, untilAt: null });
    await resumeSchedule(database.pool, change(T0 + 3_600_000));
    const range = `from=${iso(T0)}&to=${iso(T0 + 3_605_000)}`;
    const whole = (await ledger(key, `${range}&limit=1000`)).items;
    const { items } = await ledger(key, `${range}&order=desc&limit=50`);
    expect(items).toEqual(whole.toReversed());
    expect(items.filter(({ count }: { count: number }) => count > 1)).toHaveLength(1);
  });
});

it('docs/explaining.md names every kind of step in the ledger, and no other', async () => {
  const page = await readFile(new URL('../../../docs/explaining.md', import.meta.url), 'utf8');
  const [example = '', others = ''] =
    page.split('| at | until | kind | text |')[1]?.split('The other kinds of steps are') ?? [];
  const shown = [...example.matchAll(/^\| [^|]*\| [^|]*\| `(\w+)` \|/gm)].map(([, kind]) => kind);
  const listed = [...(others.split('.')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, kind]) => kind);
  expect([...new Set([...shown, ...listed])].toSorted()).toEqual(LEDGER_STEPS.toSorted());
});
