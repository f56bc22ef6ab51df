import {
  type ClaimedRun,
  claimDue,
  claimWaiting,
  type Evidence,
  holdForLoss,
  holdInstallation,
  inTransaction,
  judgeEvidence,
  lostTimeOf,
  pauseSchedule,
  purgeSchedule,
  type RememberedRow,
  readClock,
  readInstallationState,
  readLatestChange,
  readLatestEvidence,
  releaseInstallation,
  reportRun,
  sendHeartbeat,
  surveyLostTime,
  takeMessages,
  takeReceipts,
  triggerSchedule,
} from '@carillon/db';
import { MINUTE_MS, type RestoreMode } from '@carillon/shared';
import { eventually, insertSchedules, registerTestWorker, useDatabase, useEngine } from '@carillon/testkit';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { Witness } from '../../packages/db/src/restore/witness.js';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;
const T0 = Date.parse('2026-03-02T10:00:00Z');

const hold = async (now = T0) =>
  holdInstallation(database.pool, {
    code: 'held_by_operator',
    reason: 'for a test',
    actor: 'ops',
    seenGeneration: (await state()).generation,
    beforeAt: null,
    now,
  });
const release = (mode: RestoreMode, now = T0, more: { isAdopted?: boolean; untilAt?: number } = {}) =>
  releaseInstallation(database.pool, { mode, isAdopted: false, untilAt: null, actor: 'ops', now, ...more });
const state = () => readInstallationState(database.pool);

/** Registers a new worker, which has the current generation of the installation, and claims as this worker. */
async function claimNow(now: number) {
  const holder = { ...(await registerTestWorker(database)), leaseMs: 15_000, limit: 1_000, now };
  const due = await claimDue(database.pool, { ...holder, fairTo: [] });
  const waiting = await claimWaiting(database.pool, holder);
  return [...due.runs, ...waiting.runs];
}

afterEach(async () => {
  await release('by-policy');
  await database.pool.query('delete from carillon.agenda');
  await database.pool.query('delete from carillon.leases');
  await database.pool.query('update carillon.installation set lost_time = null, home = null');
});

describe('A held installation', () => {
  it('an installation that is held after a restore sends no receipt, because the receipts in the restored database were probably sent before', async () => {
    await database.pool.query(
      `insert into carillon.receipts (project_id, schedule_id, url, body, next_try_at) values ($1, 1, 'http://127.0.0.1/', '{}', to_timestamp($2 / 1000.0))`,
      [projectId, T0],
    );
    const now = T0 + 2 * MINUTE_MS;
    const shares = [{ id: projectId, weight: 1 }];
    await hold();
    expect(await takeReceipts(database.pool, { limit: 10, fairTo: [], now })).toEqual([]);
    expect(await takeReceipts(database.pool, { limit: 10, fairTo: shares, now })).toEqual([]);
    await release('by-policy', now);
    expect(await takeReceipts(database.pool, { limit: 10, fairTo: shares, now })).toHaveLength(1);
    await database.pool.query('truncate carillon.receipts');
  });

  it('an installation that is held after a restore sends no alert message', async () => {
    const { rows } = await database.pool.query<{ id: number }>(
      `insert into carillon.alert_channels (project_id, key, type, settings) values ($1, 'held', 'slack', '{}') returning id`,
      [projectId],
    );
    await database.pool.query(
      `insert into carillon.alert_messages (project_id, channel_id, content, created_at, next_try_at)
       values ($1, $2, '{}', to_timestamp($3 / 1000.0), to_timestamp($3 / 1000.0))`,
      [projectId, rows[0]?.id, T0],
    );
    const now = T0 + 2 * MINUTE_MS;
    await hold();
    expect(await takeMessages(database.pool, { limit: 10, now })).toEqual([]);
    await release('by-policy', now);
    expect(await takeMessages(database.pool, { limit: 10, now })).toHaveLength(1);
    await database.pool.query('truncate carillon.alert_messages, carillon.alert_channels');
  });

  it('an installation that is held after a restore claims nothing: neither due schedules, nor waiting runs, nor schedules whose pause has ended', async () => {
    const [due, triggered, paused] = (await insertSchedules(
      database,
      [
        { rule: { every: 'PT1M' } },
        { id: 'triggered', rule: { every: 'P1D' } },
        { id: 'paused', rule: { every: 'P1D' } },
      ],
      { nowAt: T0 },
    )) as [number, number, number];
    const now = T0 + 2 * MINUTE_MS;
    await triggerSchedule(database.pool, { ref: { projectId, key: 'triggered' }, actor: 'ops', now: T0 });
    await pauseSchedule(
      database.pool,
      { ref: { projectId, key: 'paused' }, actor: 'ops', now: T0 },
      { untilAt: T0 + MINUTE_MS, note: null },
    );
    await hold();
    const holder = { ...(await registerTestWorker(database)), leaseMs: 15_000, limit: 100, now };
    expect(await claimNow(now)).toEqual([]);
    expect(await claimWaiting(database.pool, holder)).toMatchObject({ hasPauseEnded: false });
    const shares = [{ id: projectId, weight: 1 }];
    expect((await claimDue(database.pool, { ...holder, fairTo: shares })).runs).toEqual([]);
    expect((await claimWaiting(database.pool, { ...holder, fairTo: shares })).runs).toEqual([]);
    await release('by-policy', now);
    const claimed = (await claimNow(now)).map(({ scheduleId }) => scheduleId);
    expect(claimed).toEqual(expect.arrayContaining([due, triggered]));
    expect(await claimWaiting(database.pool, holder)).toMatchObject({ hasPauseEnded: true });
    expect(paused).toBeDefined();
  });

  it('after an operator has released an installation that lost transactions, evidence of the same loss does not stop its claims again', async () => {
    const seen = (await state()).generation;
    expect(await hold()).toBe(true);
    expect(await hold()).toBe(false);
    const released = await release('by-policy');
    expect(released).toMatchObject({ kind: 'released', generation: seen + 1 });
    const evidence = {
      installationId: '',
      generation: seen,
      workerId: 1,
      token: crypto.randomUUID(),
      beats: 9,
      at: T0,
    };
    expect(await holdForLoss(database.pool, evidence)).toBe(false);
    expect((await state()).hold).toBeNull();
  });

  it('the decision about a restore gives the installation a generation above every generation that any process has seen', async () => {
    const { generation } = await state();
    await holdForLoss(database.pool, {
      installationId: '',
      generation: generation + 5,
      workerId: 1,
      token: crypto.randomUUID(),
      beats: 9,
      at: T0,
    });
    expect(await release('by-policy')).toMatchObject({ generation: generation + 6 });
  });

  it('when the installation is held, every sequence advances beyond the ids that lost transactions can have used, so that no id is issued twice', async () => {
    const values = async () =>
      (
        await database.pool.query<{ name: string; value: number }>(
          `select sequencename as name, coalesce(last_value, 0) as value from pg_sequences
           where schemaname = 'carillon' and sequencename <> 'migrations_id_seq' order by 1`,
        )
      ).rows;
    const before = await values();
    await database.pool.query(`update carillon.installation set swept_at = to_timestamp($1::float8 / 1000)`, [
      T0 - 1_000_000,
    ]);
    await hold();
    const after = await values();
    expect(after.length).toBeGreaterThan(5);
    for (const [index, { name, value }] of after.entries())
      expect(value - (before[index]?.value ?? 0), name).toBeGreaterThanOrEqual(1_000 * 100_000);
    expect((await state()).hold).toMatchObject({ lostFromAt: T0 - 1_000_000 });
    const [id] = await insertSchedules(database, [{ rule: { every: 'P1D' } }], { nowAt: T0 });
    expect(id).toBeGreaterThan(100_000_000);
  });

  it('an installation that is held as a copy of another is released only if the operator adopts it, and then gets an id of its own', async () => {
    const { id, generation } = await state();
    await holdInstallation(database.pool, {
      code: 'database_copied',
      reason: 'for a test',
      actor: 'carillon',
      seenGeneration: generation,
      beforeAt: null,
      now: T0,
    });
    expect(await release('by-policy')).toEqual({ kind: 'copy' });
    expect((await state()).hold).not.toBeNull();
    expect(await release('account', T0, { isAdopted: true })).toMatchObject({ kind: 'released' });
    expect((await state()).id).not.toBe(id);
  });

  it('a decision about a restore is refused if the installation is not held', async () => {
    expect(await release('refire')).toEqual({ kind: 'not_held' });
  });
});

describe('Evidence', () => {
  async function beatOnce(): Promise<Evidence> {
    const holder = await registerTestWorker(database);
    const { beats, nowAt, installation } = await sendHeartbeat(database.pool, {
      ...holder,
      inFlight: 0,
      heartbeatIntervalMs: 5_000,
      clockOffsetMs: 0,
      openCircuits: [],
      grown: [],
    });
    if (beats === null) throw new Error('the heartbeat was not counted');
    const { id: installationId, generation } = installation;
    return { ...holder, installationId, generation, beats, at: nowAt };
  }
  const judge = (evidence: Evidence) => judgeEvidence(database.pool, evidence);

  it('if Postgres has the worker heartbeat that a process remembers, or a later one of that worker, nothing counts as lost', async () => {
    const evidence = await beatOnce();
    expect(await judge(evidence)).toBe('intact');
    expect(await judge({ ...evidence, beats: evidence.beats - 1 })).toBe('intact');
    expect(await judge((await readLatestEvidence(database.pool)) as Evidence)).toBe('intact');
  });

  it('if Postgres does not have the worker heartbeat that a process remembers, or does not know its worker or generation, transactions count as lost', async () => {
    const evidence = await beatOnce();
    expect(await judge({ ...evidence, beats: evidence.beats + 1 })).toBe('lost');
    expect(await judge({ ...evidence, token: crypto.randomUUID() })).toBe('lost');
    expect(await judge({ ...evidence, generation: evidence.generation + 1 })).toBe('lost');
  });

  it('if Postgres lacks a worker heartbeat that a process remembers, this is no sign of lost transactions once an operator has decided how to go on after a restore, or once the heartbeat is more than a week old', async () => {
    const evidence = await beatOnce();
    const lost = { ...evidence, beats: evidence.beats + 1 };
    expect(await judge({ ...lost, generation: evidence.generation - 1 })).toBe('superseded');
    expect(await judge({ ...evidence, token: crypto.randomUUID(), at: evidence.at - 8 * 86_400_000 })).toBe(
      'unknown',
    );
  });

  it('if Postgres lacks the worker heartbeat that a connecting process remembers, the process holds the installation (nothing is claimed until an operator decides)', async () => {
    const evidence = await beatOnce();
    const witness = new Witness();
    witness.remember(evidence);
    await witness.verifyConnection(database.pool);
    expect((await state()).hold).toBeNull();
    await database.pool.query('update carillon.workers set beats = beats - 1 where id = $1', [
      evidence.workerId,
    ]);
    await witness.verifyConnection(database.pool);
    expect((await state()).hold).toMatchObject({ code: 'transactions_lost' });
    // A second check neither holds the installation again nor writes a second audit entry.
    await witness.verifyConnection(database.pool);
    const { rows } = await database.pool.query(
      `select detail from carillon.audit_log where action = 'installation.held' and actor = 'carillon'
       and detail->>'code' = 'transactions_lost' and detail->>'reason' like $1`,
      [`%worker ${evidence.workerId} %`],
    );
    expect(rows.length).toBe(1);
  });
});

describe('A remembered row', () => {
  const beat = async (): Promise<Evidence> => {
    const holder = await registerTestWorker(database);
    const { nowAt } = await readClock(database.pool);
    const { id: installationId, generation } = await state();
    return { ...holder, installationId, generation, beats: 0, at: nowAt - 1_000 };
  };
  /** Claims a run by Postgres's clock, and returns what a worker remembers of it. */
  const claimRun = async (): Promise<RememberedRow & { kind: 'run' }> => remembered(await claimOne());
  const claimOne = async () => {
    const { nowAt: now } = await readClock(database.pool);
    await insertSchedules(database, [{ rule: { at: new Date(now - 10).toISOString() } }], {
      nowAt: now - 100,
    });
    const [run] = await claimNow(now);
    if (!run) throw new Error('nothing was claimed');
    return run;
  };
  const remembered = async (run: ClaimedRun): Promise<RememberedRow & { kind: 'run' }> => {
    const { projectId, scheduleKey, scheduleId, occurrenceAt, recordedAt: at } = run;
    const { generation } = await state();
    return { kind: 'run', projectId, scheduleKey, scheduleId, occurrenceAt, at, generation };
  };
  /** Claims a run and ends it at once, and returns what a worker remembers of it. */
  const claimAndEnd = async () => {
    const run = await claimOne();
    expect(
      await reportRun(database.pool, { projectId, run, kind: 'success', body: null, now: null }),
    ).toMatchObject({ kind: 'changed' });
    return remembered(run);
  };
  const purge = (key: string) => purgeSchedule(database.pool, { ref: { projectId, key }, actor: 'ops' });
  const witnessOf = (evidence: Evidence, row: RememberedRow | null) => {
    const witness = new Witness();
    witness.remember(evidence);
    witness.rememberRow(row);
    return witness;
  };

  it('if Postgres has the latest heartbeat of a connecting process but not the run of its latest claim, the process holds the installation (nothing is claimed)', async () => {
    const row = await claimRun();
    const witness = witnessOf(await beat(), row);
    await witness.verifyConnection(database.pool);
    expect((await state()).hold).toBeNull();
    await database.pool.query('delete from carillon.runs where schedule_id = $1', [row.scheduleId]);
    await witness.verifyConnection(database.pool);
    expect((await state()).hold).toMatchObject({
      code: 'transactions_lost',
      reason: expect.stringContaining(`the run of schedule ${row.scheduleId} `),
    });
  });

  it('if a purge has deleted the run that a worker remembers, no transactions count as lost, and the installation is not held', async () => {
    const row = await claimAndEnd();
    const witness = witnessOf(await beat(), row);
    expect(await purge(row.scheduleKey)).toMatchObject({ kind: 'changed' });
    expect(await engine.runsOf(row.scheduleId)).toEqual([]);
    expect(await witness.verify(database.pool)).toBe('intact');
    expect((await state()).hold).toBeNull();
  });

  it('while a purge has deleted the run that a worker remembers, but not its schedule yet, no transactions count as lost', async () => {
    const row = await claimAndEnd();
    const witness = witnessOf(await beat(), row);
    await database.pool.query(
      'insert into carillon.ping_tokens (schedule_id, project_id, generation) values ($1, $2, 1)',
      [row.scheduleId, projectId],
    );
    const other = await database.pool.connect();
    onTestFinished(() => other.release(true));
    await other.query('begin');
    // The purge deletes this row last, together with the schedule, and waits for the lock.
    await other.query('select from carillon.ping_tokens where schedule_id = $1 for update', [row.scheduleId]);
    const purged = purge(row.scheduleKey);
    await eventually(async () => (await engine.runsOf(row.scheduleId)).length === 0);
    expect(await witness.verify(database.pool)).toBe('intact');
    await other.query('commit');
    expect(await purged).toMatchObject({ kind: 'changed' });
  });

  it('if the run that a worker remembers is missing, the loss is detected even if a schedule with the same key was purged before that run', async () => {
    const row = await claimRun();
    const witness = witnessOf(await beat(), row);
    await database.pool.query(
      `insert into carillon.audit_log (project_id, actor, action, subject, at)
       values ($1, 'ops', 'schedule.purged', $2, to_timestamp($3::float8 / 1000))`,
      [projectId, row.scheduleKey, row.at - 1],
    );
    await database.pool.query('delete from carillon.runs where schedule_id = $1', [row.scheduleId]);
    await database.pool.query('delete from carillon.schedules where id = $1', [row.scheduleId]);
    expect(await witness.verify(database.pool)).toBe('lost');
  });

  it('if Postgres has lost a claim, the loss is detected even if the same run was claimed again later', async () => {
    const row = await claimRun();
    const evidence = await beat();
    expect(await judgeEvidence(database.pool, evidence, row)).toBe('intact');
    expect(await judgeEvidence(database.pool, evidence, { ...row, at: row.at - 1 })).toBe('row_lost');
  });

  it('an API that remembers a change of which Postgres has no audit entry holds the installation (nothing is claimed until an operator decides)', async () => {
    await insertSchedules(database, [{ rule: { every: 'P1D' } }]);
    const change = (await readLatestChange(database.pool)) as RememberedRow & { kind: 'audit' };
    const evidence = { ...(await beat()), at: change.at };
    await witnessOf(evidence, change).verifyConnection(database.pool);
    expect((await state()).hold).toBeNull();
    await witnessOf(evidence, { ...change, id: change.id + 1 }).verifyConnection(database.pool);
    expect((await state()).hold).toMatchObject({
      reason: expect.stringContaining(`entry ${change.id + 1} of the audit log`),
    });
  });

  it('a run that a worker remembers and Postgres lacks is no sign of lost transactions after a later heartbeat, an operator’s decision or an hour', async () => {
    const row = { ...(await claimRun()), scheduleId: 0 };
    const evidence = await beat();
    const verify = (witness: Witness) => witness.verify(database.pool);
    const later = witnessOf(evidence, row);
    later.remember({ ...evidence, at: row.at + 1 });
    expect(await verify(later)).toBe('intact');
    expect(await verify(witnessOf(evidence, { ...row, generation: row.generation - 1 }))).toBe('intact');
    const old = { ...row, at: row.at - 2 * 3_600_000 };
    expect(await verify(witnessOf({ ...evidence, at: old.at }, old))).toBe('intact');
    expect((await state()).hold).toBeNull();
    expect(await verify(witnessOf(evidence, row))).toBe('lost');
  });
});

describe('The lost time', () => {
  const policies = ['skip', 'once', 'all'] as const;
  const insertAll = () =>
    insertSchedules(
      database,
      policies.map((policy) => ({ rule: { every: 'PT1M' }, misfire: { policy, grace: 'PT30S', limit: 3 } })),
      { nowAt: T0 },
    );

  /** Claims until nothing is due, and counts the runs and the skipped occurrences of the schedules. */
  async function carryOut(ids: readonly number[], now: number) {
    const isDue = async () =>
      (
        await database.pool.query(
          'select from carillon.agenda where schedule_id = any($1) and due_at <= to_timestamp($2::float8 / 1000)',
          [ids, now],
        )
      ).rowCount !== 0;
    while (await isDue()) await claimNow(now);
    const { rows } = await database.pool.query<{ run: number; skipped: number }>(
      `select count(*) filter (where status = 'running') as run, count(*) filter (where status = 'skipped') as skipped
       from carillon.runs where schedule_id = any($1)`,
      [ids],
    );
    return rows[0];
  }

  it.each([
    ['account', { run: 0, skipped: 15 }],
    ['refire', { run: 15, skipped: 0 }],
    ['by-policy', { run: 4, skipped: 11 }],
  ] as const)(
    'carillon restore --%s: afterwards, claims run and skip as many occurrences as the dry run has counted',
    async (mode, expected) => {
      const ids = await insertAll();
      const now = T0 + 5 * MINUTE_MS + 45_000;
      await hold(now);
      const lostTime = lostTimeOf({ lostFromAt: T0 }, { mode, untilAt: now });
      const survey = await surveyLostTime(database.pool, { lostTime, now });
      expect(survey).toMatchObject({ schedules: 3, ...expected });
      await release(mode, now);
      expect(await carryOut(ids, now)).toEqual(expected);
      // The next occurrence lies after the time that the restore has lost, so every schedule runs it.
      expect((await claimNow(T0 + 6 * MINUTE_MS)).length).toBe(3);
    },
  );

  it('carillon restore --account: the skipped runs name the restore as their reason', async () => {
    const [id] = (await insertAll()) as [number];
    const now = T0 + 2 * MINUTE_MS;
    await hold(now);
    await release('account', now);
    await carryOut([id], now);
    const runs = await engine.runsOf(id);
    expect(runs).toHaveLength(2);
    for (const run of runs)
      expect(run).toMatchObject({
        status: 'skipped',
        reasonCode: 'restored',
        reason: expect.stringContaining('the time that a restore has lost'),
      });
  });

  it('carillon restore --account: a one-shot that was due in the time that the restore has lost is skipped', async () => {
    const rule = { at: new Date(T0 + MINUTE_MS).toISOString() };
    const [id] = (await insertSchedules(database, [{ rule }], { nowAt: T0 })) as [number];
    const now = T0 + 2 * MINUTE_MS;
    await hold(now);
    await release('account', now);
    await carryOut([id], now);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'skipped', reasonCode: 'restored' }]);
  });

  it('carillon restore --until: occurrences that were due after the given instant follow the misfire policy', async () => {
    const ids = await insertAll();
    const now = T0 + 5 * MINUTE_MS + 45_000;
    await hold(now);
    await release('account', now, { untilAt: T0 + 2 * MINUTE_MS + 1 });
    expect(await carryOut(ids, now)).toEqual({ run: 4, skipped: 11 });
  });

  it('a decision about a restore is recorded once in the table of restores and once in the audit log', async () => {
    await hold();
    const released = await release('refire', T0 + MINUTE_MS);
    if (released.kind !== 'released') throw new Error(released.kind);
    await inTransaction(database.pool, async (tx) => {
      const { rows } = await tx.query(
        'select mode, decided_by from carillon.restores where generation = $1',
        [released.generation],
      );
      expect(rows).toEqual([{ mode: 'refire', decided_by: 'ops' }]);
      const audit = await tx.query(
        `select detail->>'mode' as mode from carillon.audit_log where action = 'installation.restored'
         and (detail->>'generation')::int = $1`,
        [released.generation],
      );
      expect(audit.rows).toEqual([{ mode: 'refire' }]);
    });
  });
});
