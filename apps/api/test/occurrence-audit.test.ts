import {
  type ClaimedRun,
  cancelSchedule,
  editSchedule,
  pauseSchedule,
  replaceSchedule,
  resumeSchedule,
} from '@carillon/db';
import { MINUTE_MS } from '@carillon/shared';
import { draft, insertSchedules, useEngine } from '@carillon/testkit';
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
const iso = (at: number) => new Date(at).toISOString();

/** Creates schedules that fire every minute and have ten successful runs. */
const ranForTenMinutes = (...keys: string[]) =>
  engine.insertWithHistory(
    keys.map((id) => ({ id, rule: { every: 'PT1M' } })),
    { fromAt: T0, minutes: 10 },
  );

/** Creates two schedules that look as if they had been created at a past instant. */
async function inForceFrom(at: number, inputs: Parameters<typeof insertSchedules>[1]) {
  const ids = (await insertSchedules(database, inputs, { nowAt: at })) as [number, number];
  await database.pool.query(
    'update carillon.schedules set defined_at = $2, created_at = $2 where id = any($1)',
    [ids, iso(at)],
  );
  return ids;
}

const audit = async (query = '') =>
  (await api.call('GET', `/v1/audit/occurrences?from=${iso(T0)}&to=${iso(T0 + 10.5 * MINUTE_MS)}&${query}`))
    .body;

const ledgerOf = async (key: string) =>
  (await api.call('GET', `/v1/schedules/${key}/ledger?from=${iso(T0)}&to=${iso(T0 + 10.5 * MINUTE_MS)}`))
    .body;

/** The instants of the occurrences that the ledger reports as missing. */
async function missingInLedger(key: string): Promise<string[]> {
  const entries: { at: string; status: string; why: string }[] = (await ledgerOf(key)).items;
  const missing = entries.filter(({ status }) => status === 'missing');
  for (const { why } of missing)
    expect(why).toBe('missing: the rule named it, and there is neither a run nor a gap');
  return missing.map(({ at }) => at);
}

describe('The audit of occurrences', () => {
  it('the audit of occurrences reports occurrences without a run, overdue occurrences and runs at an instant that is no occurrence of the rule, and nothing else', async () => {
    const [lost, made] = (await ranForTenMinutes('lost', 'made', 'sound')) as [number, number];
    expect(await audit()).toEqual({
      from: iso(T0),
      to: iso(T0 + 10.5 * MINUTE_MS),
      schedules: 3,
      occurrences: 30,
      items: [],
      nextCursor: null,
    });

    await database.pool.query(
      `delete from carillon.runs where schedule_id = $1 and occurrence_at in ($2, $3, $4)`,
      [lost, iso(T0 + 3 * MINUTE_MS), iso(T0 + 4 * MINUTE_MS), iso(T0 + 7 * MINUTE_MS)],
    );
    await database.pool.query(
      `update carillon.runs set occurrence_at = occurrence_at + interval '1 second' where schedule_id = $1 and occurrence_at = $2`,
      [made, iso(T0 + 5 * MINUTE_MS)],
    );
    const { items } = await audit();
    expect(
      items.map((each: Record<string, unknown>) => [
        each.scheduleId,
        each.kind,
        each.from,
        each.to,
        each.count,
      ]),
    ).toEqual([
      ['lost', 'missing', iso(T0 + 3 * MINUTE_MS), iso(T0 + 4 * MINUTE_MS), 2],
      ['lost', 'missing', iso(T0 + 7 * MINUTE_MS), iso(T0 + 7 * MINUTE_MS), 1],
      ['made', 'missing', iso(T0 + 5 * MINUTE_MS), iso(T0 + 5 * MINUTE_MS), 1],
      ['made', 'unnamed', iso(T0 + 5 * MINUTE_MS + 1_000), iso(T0 + 5 * MINUTE_MS + 1_000), 1],
    ]);
    // The next occurrence of each schedule has been due for hours, and no worker has claimed it.
    const later = (await api.call('GET', `/v1/audit/occurrences?schedule=sound&from=${iso(T0)}`)).body;
    expect(later.items).toMatchObject([{ kind: 'overdue', from: iso(T0 + 11 * MINUTE_MS), count: 1 }]);
  });

  it('the ledger and the audit of occurrences report the same occurrences as missing', async () => {
    const [id] = (await ranForTenMinutes('half-lost')) as [number];
    await database.pool.query(
      `delete from carillon.runs where schedule_id = $1 and occurrence_at between $2 and $3`,
      [id, iso(T0 + 2 * MINUTE_MS), iso(T0 + 3 * MINUTE_MS)],
    );
    const differences = (await audit('schedule=half-lost')).items;
    expect(differences).toMatchObject([
      { kind: 'missing', from: iso(T0 + 2 * MINUTE_MS), to: iso(T0 + 3 * MINUTE_MS) },
    ]);
    expect(await missingInLedger('half-lost')).toEqual([iso(T0 + 2 * MINUTE_MS), iso(T0 + 3 * MINUTE_MS)]);
  });

  it('an occurrence at the exact instant of an edit belongs to the definition before the edit: for its run, in the ledger and in the audit of occurrences', async () => {
    const at = T0 + 5 * MINUTE_MS;
    const change = (id: number) => ({ ref: { id }, actor: 'ops', now: at });
    const [named, unnamed] = await inForceFrom(T0, [
      { id: 'named-by-old', rule: { every: 'PT5M' } },
      { id: 'named-by-new', rule: { every: 'PT1H' } },
    ]);
    await editSchedule(database.pool, change(named), draft({ rule: { every: 'PT1H' } }, at));
    await editSchedule(database.pool, change(unnamed), draft({ rule: { cron: '* * * * *' } }, at));
    const runs = (await engine.runsOf(named)).map(({ occurrenceAt, version }) => [occurrenceAt, version]);
    expect(runs).toEqual([[at, 2]]);
    expect(await engine.runsOf(unnamed)).toEqual([]);
    await database.pool.query('delete from carillon.runs where schedule_id = $1', [named]);
    for (const from of [T0, at]) {
      const range = `from=${iso(from)}&to=${iso(at)}`;
      const auditOf = (key: string) => api.call('GET', `/v1/audit/occurrences?schedule=${key}&${range}`);
      const ledger = (key: string) => api.call('GET', `/v1/schedules/${key}/ledger?${range}`);
      const missing = [{ at: iso(at), status: 'missing', version: 1 }];
      expect((await ledger('named-by-old')).body.items).toMatchObject(missing);
      expect((await auditOf('named-by-old')).body).toMatchObject({
        occurrences: 1,
        items: [{ kind: 'missing', from: iso(at), version: 1 }],
      });
      expect((await ledger('named-by-new')).body.items).toEqual([]);
      expect((await auditOf('named-by-new')).body).toMatchObject({ occurrences: 0, items: [] });
    }
  });

  it('if a schedule becomes a one-shot at a past instant, the ledger lists that instant exactly once and in order, even if it was an occurrence of the old rule too', async () => {
    const now = T0 + 5.5 * MINUTE_MS;
    const keys = ['to-named-instant', 'to-other-instant'];
    const ids = await inForceFrom(T0, [
      { id: 'to-named-instant', rule: { every: 'PT1M' } },
      { id: 'to-other-instant', rule: { every: 'PT1M' } },
    ]);
    const instants = [T0 + 3 * MINUTE_MS, T0 + 3.5 * MINUTE_MS];
    for (const [i, id] of ids.entries()) {
      const ref = { id };
      await cancelSchedule(database.pool, { ref, actor: 'ops', now: T0 + 1_000 });
      const next = { ...draft({ rule: { at: iso(instants[i] as number) } }, now), limits: {} };
      await replaceSchedule(database.pool, { ref, actor: 'ops', now }, next);
    }
    for (const isRun of [false, true]) {
      if (isRun) for (const run of await engine.claim(now)) await engine.succeed(run, now);
      for (const [i, key] of keys.entries()) {
        const entries: { at: string; status: string }[] = (await ledgerOf(key)).items;
        const expected = new Map(
          [1, 2, 3, 4, 5].map((minute) => [iso(T0 + minute * MINUTE_MS), 'skipped'] as [string, string]),
        );
        expected.set(iso(instants[i] as number), isRun ? 'succeeded' : 'due');
        expect(entries.map(({ at, status }) => [at, status])).toEqual(
          [...expected].sort(([a], [b]) => a.localeCompare(b)),
        );
      }
    }
  });

  it('if a run of a finished schedule with maxRuns is lost, the audit of occurrences and the ledger report only its occurrence as missing', async () => {
    const input = { id: 'three-runs', rule: { every: 'PT1M' }, maxRuns: 3 };
    const [id] = (await engine.insertWithHistory([input], { fromAt: T0, minutes: 4 })) as [number];
    await database.pool.query(`delete from carillon.runs where schedule_id = $1 and occurrence_at = $2`, [
      id,
      iso(T0 + 2 * MINUTE_MS),
    ]);
    expect((await audit('schedule=three-runs')).items).toMatchObject([
      { from: iso(T0 + 2 * MINUTE_MS), count: 1 },
    ]);
    expect(await missingInLedger('three-runs')).toEqual([iso(T0 + 2 * MINUTE_MS)]);
    const { items } = await ledgerOf('three-runs');
    expect(items.at(-1)).toMatchObject({
      status: 'skipped',
      why: 'not run, the schedule is finished: it has completed its 3 runs',
    });
  });

  it('all pages of an audit of occurrences together compare every schedule once', async () => {
    const whole = await audit();
    const paged = { schedules: 0, occurrences: 0, items: [] as unknown[] };
    let cursor: string | null = null;
    do {
      const page: typeof whole = await audit(`limit=1${cursor ? `&cursor=${cursor}` : ''}`);
      paged.schedules += page.schedules;
      paged.occurrences += page.occurrences;
      paged.items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual({ schedules: whole.schedules, occurrences: whole.occurrences, items: whole.items });
  });

  it('an audit of 36,000 occurrences of one schedule takes two pages, but only one if the occurrences lie in a recorded gap', async () => {
    const beganAt = T0 - 8 * 60 * MINUTE_MS;
    const endedAt = beganAt + 10 * 60 * MINUTE_MS;
    const [id] = (await insertSchedules(database, [{ id: 'each-second', rule: { every: 'PT1S' } }], {
      nowAt: beganAt,
    })) as [number];
    await database.pool.query(
      'update carillon.schedules set defined_at = $2, created_at = $2 where id = $1',
      [id, iso(beganAt)],
    );
    const change = (now: number) => ({ ref: { id }, actor: 'ops', now });
    const [run] = (await engine.claim(beganAt + 1_000)).filter(({ scheduleId }) => scheduleId === id);
    await engine.succeed(run as ClaimedRun, beganAt + 1_000);
    await pauseSchedule(database.pool, change(beganAt + 1_010), { note: null, untilAt: null });
    await resumeSchedule(database.pool, change(endedAt));
    const range = `schedule=each-second&from=${iso(beganAt)}&to=${iso(endedAt)}`;
    const read = async (query: string) => (await api.call('GET', `/v1/audit/occurrences?${query}`)).body;
    expect(await read(range)).toMatchObject({ occurrences: 2, items: [], nextCursor: null });

    await database.pool.query('delete from carillon.gaps where schedule_id = $1', [id]);
    const first = await read(range);
    expect(first).toMatchObject({ occurrences: 20_000, items: [{ kind: 'missing', count: 19_999 }] });
    const second = await read(`${range}&cursor=${first.nextCursor}`);
    expect(second.items).toMatchObject([{ kind: 'missing', count: 16_000 }]);
    expect(second.nextCursor).toBeNull();
  });

  it('GET /v1/audit/occurrences requires the scope admin and refuses a window of more than 31 days', async () => {
    const { key } = (await api.call('POST', '/v1/keys', { body: { name: 'reader', scopes: ['read'] } })).body;
    expect((await api.call('GET', '/v1/audit/occurrences', { key })).status).toBe(403);
    const long = await api.call('GET', `/v1/audit/occurrences?from=${iso(T0 - 32 * 86_400_000)}`);
    expect(long.status).toBe(400);
    expect(long.body.errors[0].field).toBe('from');
  });
});
