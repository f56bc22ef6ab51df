import { eventually } from '@carillon/testkit';
import { checkAgenda, findContradictions } from './checks/agenda.js';
import { checkAttempts } from './checks/attempts.js';
import { checkBells } from './checks/bells.js';
import { checkAcknowledged, checkChanges } from './checks/changes.js';
import { type Facts, groupBy, readFacts } from './checks/facts.js';
import { type Lateness, measureLateness, type Span } from './checks/lateness.js';
import { excuseLostClaims } from './checks/lost-tail.js';
import { checkOccurrences } from './checks/occurrences.js';
import { checkTenancy } from './checks/tenancy.js';
import type { Installation } from './harness/installation.js';

/** Marks the start of a scenario: rows with these ids or smaller ones belong to an earlier scenario. */
export interface Mark {
  sinceId: number;
  sinceAuditId: number;
}

export interface Verdict {
  /** Each violation begins with the promise that was broken, and names the schedule. */
  violations: string[];
  /**
   * `named` is the number of occurrences that rules named, and `fired` the number of runs that were tried at least
   * once.
   */
  named: number;
  fired: number;
  lost: number;
  /** The number of occurrences that were claimed or recorded more than once. This is never allowed. */
  duplicated: number;
  /**
   * The number of runs that the receiver saw more than once. At-least-once delivery allows this; the id of the run
   * stays the same.
   */
  redelivered: number;
  /** The number of attempts with the outcome `unknown`, because their worker was lost. */
  unknown: number;
  /** The time from the end of the fault until nothing was overdue and no run was open. */
  recoveryMs: number;
  lateness: Lateness;
}

/**
 * Maximum time until no work is left after a fault. It is far longer than Carillon should need, because the machine may
 * be busy.
 */
const CALM_WITHIN_MS = 90_000;

export async function takeMark({ pool }: Installation): Promise<Mark> {
  const { rows } = await pool.query<Mark>(
    `select coalesce((select max(id) from carillon.schedules), 0) as "sinceId",
            coalesce((select max(id) from carillon.audit_log), 0) as "sinceAuditId"`,
  );
  return rows[0] as Mark;
}

/**
 * Checks the ten promises (I1 to I10 in docs/architecture.md) in the same way after every scenario: waits until no run
 * is open, then compares Postgres, Redis and the log of the receiver with the promises.
 */
export async function check(
  installation: Installation,
  { mark, healedAt, span, lostTail }: { mark: Mark; healedAt: number; span: Span; lostTail: Span | null },
): Promise<Verdict> {
  const contradictions = await findContradictions(installation);
  const leftovers = await waitForCalm(installation, mark);
  const recoveryMs = performance.now() - healedAt;
  const unarmed = await waitForBells(installation);
  const misplaced = checkAgenda(await readFacts(installation, mark));
  // All schedules are cancelled first, so that nothing changes during the last comparison.
  for (const client of Object.values(installation.clients)) await client.cancelAll();
  leftovers.push(...(await waitForCalm(installation, mark)), ...(await waitForLeases(installation)));
  contradictions.push(...(await findContradictions(installation)));

  if (lostTail) leftovers.push(...(await waitForPlaces(installation)));
  const { facts, violations: repeated } = excuseLostClaims(await readFacts(installation, mark), lostTail);
  const accounting = checkOccurrences(facts);
  const violations = [
    ...installation.crashes(),
    ...contradictions,
    ...leftovers,
    ...unarmed,
    ...misplaced,
    ...accounting.violations,
    ...repeated,
    ...checkAttempts(facts),
    ...checkChanges(facts),
    ...checkTenancy(facts),
    ...Object.values(installation.clients).flatMap((client) =>
      checkAcknowledged(facts, client.project, client.acknowledged.splice(0)),
    ),
  ];
  const { named, lost, doubled } = accounting;
  const claimedTwice = violations.filter((text) => text.startsWith('I2 claimed twice')).length;
  return {
    violations,
    named,
    lost,
    duplicated: doubled + claimedTwice,
    recoveryMs,
    lateness: measureLateness(facts, span),
    ...tally(facts),
  };
}

function tally(facts: Facts): Pick<Verdict, 'fired' | 'redelivered' | 'unknown'> {
  const runs = [...facts.runs.values()].flat();
  const attempts = [...facts.attempts.values()].flat();
  const deliveries = [...groupBy(facts.deliveries, ({ runId }) => runId).values()];
  return {
    fired: runs.filter(({ attempt }) => attempt > 0).length,
    redelivered: deliveries.filter((list) => list.length > 1).length,
    unknown: attempts.filter(({ outcome }) => outcome === 'unknown').length,
  };
}

/**
 * Waits until everything that is due at the time of the call has ended (promises I3 and I7). Returns a violation for
 * each run or schedule that has not ended in time.
 */
async function waitForCalm({ pool }: Installation, { sinceId }: Mark): Promise<string[]> {
  const { rows } = await pool.query<{ now: string }>('select clock_timestamp()::text as now');
  const untilAt = rows[0]?.now;
  const look = () =>
    pool.query<{ what: string }>(
      `select 'overdue: ' || s.key as what
       from carillon.agenda a join carillon.schedules s on s.id = a.schedule_id
       where s.id > $1 and s.status <> 'paused' and a.due_at <= $2::timestamptz
       union all
       select r.status || ': ' || s.key from carillon.runs r join carillon.schedules s on s.id = r.schedule_id
       where s.id > $1 and r.status in ('queued', 'running', 'retrying') and r.due_at <= $2::timestamptz
         and s.status <> 'paused'`,
      [sinceId, untilAt],
    );
  const options = { withinMs: CALM_WITHIN_MS, everyMs: 50 };
  const isCalm = await eventually(async () => (await look()).rowCount === 0, options).catch(() => false);
  if (isCalm) return [];
  return (await look()).rows.slice(0, 20).map(({ what }) => `I3 not settled, ${what}`);
}

/**
 * Waits until no lease is left (promise I3). Returns a violation for each lease that is still there after the time-out,
 * with what may explain why no sweep has taken it.
 */
async function waitForLeases({ pool }: Installation): Promise<string[]> {
  const look = async () => (await pool.query<Record<string, unknown>>(LEASES_LEFT)).rows;
  const isRested = await eventually(async () => (await look()).length === 0, {
    withinMs: CALM_WITHIN_MS,
    everyMs: 50,
  }).catch(() => false);
  if (isRested) return [];
  return (await look()).map((lease) => `I3 a lease is left at rest: ${JSON.stringify(lease)}`);
}

const LEASES_LEFT = `
  select l.epoch, l.worker_id as worker, l.open_runs as "openRuns", w.token = l.token as "isOfLiveToken",
    w.in_flight as "workerInFlight", w.stopped_at is not null as "workerHasStopped",
    round(extract(epoch from clock_timestamp() - l.claimed_at)) as "claimedSecondsAgo",
    round(extract(epoch from l.held_until - clock_timestamp())::numeric, 1) as "heldForSeconds",
    round(extract(epoch from clock_timestamp() - i.swept_at)::numeric, 1) as "sweptSecondsAgo", i.held_detail as "hold",
    (select jsonb_agg(jsonb_build_object('schedule', s.key, 'status', r.status, 'outcome', r.outcome, 'reason', r.reason_code))
     from carillon.runs r join carillon.schedules s on s.id = r.schedule_id where r.epoch = l.epoch) as runs
  from carillon.leases l left join carillon.workers w on w.id = l.worker_id, carillon.installation i
  order by l.epoch limit 20`;

/**
 * Waits until no worker counts a run in flight. Returns the workers that still do: a worker must not count a run for
 * ever that Postgres has lost with its last transactions.
 */
async function waitForPlaces({ pool }: Installation): Promise<string[]> {
  const look = () =>
    pool.query<{ what: string }>(
      `select id || ' has ' || in_flight as what from carillon.workers
       where stopped_at is null and alive_until > clock_timestamp() and in_flight > 0`,
    );
  const areFree = await eventually(async () => (await look()).rowCount === 0, { everyMs: 50 }).catch(
    () => false,
  );
  return areFree ? [] : (await look()).rows.map(({ what }) => `I3 places are left at rest: worker ${what}`);
}

async function waitForBells(installation: Installation): Promise<string[]> {
  const isArmed = async () => (await checkBells(installation)).length === 0;
  const agrees = await eventually(isArmed, { withinMs: 15_000, everyMs: 100 }).catch(() => false);
  return agrees ? [] : checkBells(installation);
}
