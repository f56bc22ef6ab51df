import { ensurePartitions } from '@carillon/db';
import { emptyTables, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { checkAgenda, findContradictions, findEmptyLeases } from './checks/agenda.js';
import { checkAttempts } from './checks/attempts.js';
import { checkChanges } from './checks/changes.js';
import { readFacts } from './checks/facts.js';
import { measureLateness } from './checks/lateness.js';
import { checkOccurrences } from './checks/occurrences.js';
import { checkTenancy } from './checks/tenancy.js';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');
const NOW = T0 + 35_000;

/**
 * Writes the history of one schedule with three occurrences: the run of the first has succeeded, that of the second
 * waits for a retry, and that of the third is running.
 */
async function playHistory(): Promise<void> {
  const tables = 'schedules agenda schedule_versions runs attempts gaps leases audit_log'.split(' ');
  await emptyTables(database, tables);
  await insertSchedules(database, [{ id: 'watched', rule: { every: 'PT10S' } }], { nowAt: T0 });
  await database.pool.query('update carillon.schedules set defined_at = $1', [new Date(T0)]);
  for (const run of await engine.claim(T0 + 10_000)) await engine.succeed(run, T0 + 10_010);
  for (const run of await engine.claim(T0 + 20_000)) await engine.fail(run, T0 + 20_010);
  expect((await engine.claim(T0 + 30_000)).length).toBe(2);
}

async function findViolations(): Promise<string[]> {
  const facts = await readFacts(
    { pool: database.pool, receiver: { log: [] } },
    { sinceId: 0, sinceAuditId: 0, now: NOW },
  );
  return [
    ...(await findContradictions(database)),
    ...(await findEmptyLeases(database)),
    ...checkAgenda(facts),
    ...checkOccurrences(facts).violations,
    ...checkAttempts(facts),
    ...checkChanges(facts),
    ...checkTenancy(facts),
  ];
}

it('the checker of the fault tests finds no violation in a history that keeps every promise', async () => {
  await playHistory();
  expect(await findViolations()).toEqual([]);
});

const FIRST = `occurrence_at = '2026-03-02T10:00:10Z'`;
const THIRD = `occurrence_at = '2026-03-02T10:00:30Z'`;

/**
 * Each entry damages the history: a description of the damage, the statement that causes it, and the violation that the
 * checker must report.
 */
const DAMAGES: [what: string, statement: string, violation: RegExp][] = [
  ['an occurrence whose run was deleted', `delete from carillon.runs where ${FIRST}`, /^I1 lost/],
  [
    'a second run of one occurrence',
    `insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, status, due_at, recorded_at,
                                happened_at, finished_at, reason_code)
     select schedule_id, occurrence_at, origin, date '2026-04-01', project_id, version, 'skipped', due_at, recorded_at,
            happened_at, recorded_at, 'test'
     from carillon.runs where ${FIRST}`,
    /^I1 .* is accounted for twice/,
  ],
  [
    'a run at a time that the rule does not name',
    `update carillon.runs set occurrence_at = occurrence_at + interval '1 second' where ${FIRST}`,
    /^I1 .* was named by no rule/,
  ],
  [
    'an agenda row (the next occurrence of a schedule) that was moved past an occurrence without a run',
    `update carillon.agenda set occurrence_at = occurrence_at + interval '10 seconds'`,
    /^I1 the agenda has .* and the rule names/,
  ],
  [
    'an active schedule whose agenda row (its next occurrence) was deleted',
    'delete from carillon.agenda',
    /^I1 the agenda has nothing/,
  ],
  [
    'a schedule whose stored total of runs is wrong',
    'update carillon.agenda set runs_total = 2',
    /^I1 2 runs are counted, and there are 3/,
  ],
  [
    'a gap (a stretch of occurrences that did not run) with a wrong count of occurrences',
    `insert into carillon.gaps (project_id, schedule_id, version, from_at, to_at, count, reason_code, reason)
     select project_id, id, 1, '2026-03-02T11:00:00Z', '2026-03-02T11:00:10Z', 3, 'test', 'test' from carillon.schedules`,
    /^I1 the gap from .* counts 3/,
  ],
  [
    'a run at its second attempt that has no record of the first',
    `update carillon.runs set attempt = 2, free_attempts = 1 where ${FIRST}`,
    /^I2 an attempt is missing/,
  ],
  [
    'a running run whose lease was deleted',
    'delete from carillon.leases',
    /^I3 a run is running without the lease/,
  ],
  [
    'a lease under which no run is running',
    `update carillon.runs
     set status = 'succeeded', outcome = 'succeeded', finished_at = claimed_at where ${THIRD}`,
    /^I3 a lease without a running run/,
  ],
  [
    'an attempt without a result, although its run has ended',
    `update carillon.runs set status = 'cancelled', finished_at = claimed_at where ${THIRD};
     insert into carillon.attempts (schedule_id, occurrence_at, origin, month, number, epoch, claimed_at)
     select schedule_id, occurrence_at, origin, month, 1, epoch, claimed_at from carillon.runs where status = 'cancelled'`,
    /^I3 an attempt stayed open/,
  ],
  [
    'an active schedule whose agenda row is held as if the schedule were paused',
    'update carillon.agenda set is_held = true',
    /^I4 the agenda holds/,
  ],
  [
    'a run that was claimed while its schedule was paused',
    `insert into carillon.audit_log (project_id, actor, action, subject, at)
     select project_id, 'ops', 'schedule.paused', key, '2026-03-02T10:00:25Z' from carillon.schedules`,
    /^I4 claimed 5000 ms after schedule.paused/,
  ],
  [
    'an agenda row with another version than its schedule',
    'update carillon.agenda set version = 7',
    /^I5 the agenda has version 7/,
  ],
  [
    'a run that was claimed under a definition that an edit had already replaced',
    `insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
     select project_id, 'ops', 'schedule.edited', key, '{"version": 2}', '2026-03-02T10:00:25Z' from carillon.schedules`,
    /^I5 version 1 claimed after the edit to 2/,
  ],
  [
    'a run that was claimed before it was due',
    `update carillon.runs set claimed_at = claimed_at - interval '1 second' where ${FIRST}`,
    /^I6 early by 1000 ms/,
  ],
  [
    'a run that belongs to another project than its schedule',
    `update carillon.runs set project_id = 2 where ${FIRST}`,
    /^I9 a run or gap/,
  ],
  [
    'two claims of one worker with the same epoch (the number of their lease)',
    `update carillon.runs set epoch = (select epoch from carillon.runs where ${THIRD}) where ${FIRST}`,
    /^I10 one epoch and token issued 2 times/,
  ],
];

it.each(DAMAGES)('the checker of the fault tests reports %s', async (_what, statement, violation) => {
  await ensurePartitions(database.pool, T0);
  await playHistory();
  await database.pool.query(statement);
  const violations = await findViolations();
  expect(
    violations.some((text) => violation.test(text)),
    violations.join('\n'),
  ).toBe(true);
});

it('the lateness of a run that calls a handler is taken from Postgres, because the receiver gets no request of it', async () => {
  await emptyTables(database, ['schedules', 'agenda', 'schedule_versions', 'runs', 'attempts', 'leases']);
  const rule = { every: 'PT10S' };
  await insertSchedules(
    database,
    [
      { rule, target: { type: 'handler', name: 'noop' } },
      { rule, target: { type: 'webhook', url: 'https://example.com', headers: {} } },
    ],
    { nowAt: T0 },
  );
  for (const dueAt of [T0 + 10_000, T0 + 20_000])
    for (const run of await engine.claim(dueAt + 5)) await engine.succeed(run, dueAt + 10);
  await database.pool.query(
    'update carillon.runs set lateness_ms = extract(second from due_at)::int where origin = $1',
    ['rule'],
  );
  const facts = await readFacts(
    { pool: database.pool, receiver: { log: [] } },
    { sinceId: 0, sinceAuditId: 0, now: NOW },
  );
  const { during, after } = measureLateness(facts, { fromAt: T0, untilAt: T0 + 15_000 });
  expect({ during, after }).toEqual({ during: [10], after: [20] });
});
