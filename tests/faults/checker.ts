import { eventually } from '@carillon/testkit';
import { checkAttempts } from './checks/attempts.js';
import { checkBells } from './checks/bells.js';
import { checkAcknowledged, checkChanges } from './checks/changes.js';
import { type Facts, groupBy, readFacts } from './checks/facts.js';
import { checkOccurrences } from './checks/occurrences.js';
import { checkTenancy } from './checks/tenancy.js';
import type { Installation } from './harness/installation.js';

/** Where a scenario began: what was there before is another's. */
export interface Mark {
  sinceId: number;
  sinceAuditId: number;
}

export interface Verdict {
  /** By promise, each with the name of what broke it. */
  violations: string[];
  /** Occurrences that rules named, and runs that were tried at least once. */
  named: number;
  fired: number;
  lost: number;
  /** Occurrences that were claimed or accounted for more than once: never allowed. */
  duplicated: number;
  /** Runs that the receiver saw more than once, under their one id: what at-least-once means. */
  redelivered: number;
  /** Attempts of which nobody knows how they ended. */
  unknown: number;
  /** From the moment at which the fault was gone to that at which nothing was overdue or open any more. */
  recoveryMs: number;
}

/** How long things may stay unsettled: far beyond lease and sweep, for machines that are busy with other things. */
const CALM_WITHIN_MS = 90_000;

export async function takeMark({ pool }: Installation): Promise<Mark> {
  const { rows } = await pool.query<Mark>(
    `select coalesce((select max(schedule_id) from schedule_versions), 0) as "sinceId",
            coalesce((select max(id) from audit_log), 0) as "sinceAuditId"`,
  );
  return rows[0] as Mark;
}

/**
 * The one checker, the same after every scenario. Waits for calm, then holds what Postgres, Redis and the receiver know
 * against the nine promises.
 */
export async function check(
  installation: Installation,
  { mark, healedAt }: { mark: Mark; healedAt: number },
): Promise<Verdict> {
  const unsettled = await waitForCalm(installation, mark);
  const recoveryMs = performance.now() - healedAt;
  const unarmed = await waitForBells(installation);
  // What is still to come is called off, so that nothing moves while it is looked at.
  for (const client of Object.values(installation.clients)) await client.cancelAll();
  unsettled.push(...(await waitForCalm(installation, mark)));

  const facts = await readFacts(installation, mark);
  const accounting = checkOccurrences(facts);
  const violations = [
    ...installation.crashes(),
    ...unsettled,
    ...unarmed,
    ...accounting.violations,
    ...checkAttempts(facts),
    ...checkChanges(facts),
    ...checkTenancy(facts),
    ...Object.values(installation.clients).flatMap((client) =>
      checkAcknowledged(facts, client.project, client.acknowledged.splice(0)),
    ),
  ];
  const { named, lost, doubled } = accounting;
  const claimedTwice = violations.filter((text) => text.startsWith('I2 claimed twice')).length;
  return { violations, named, lost, duplicated: doubled + claimedTwice, recoveryMs, ...tally(facts) };
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

/** I3 and I7: all that was due when it was asked comes to its end. Answers what did not. */
async function waitForCalm({ pool }: Installation, { sinceId }: Mark): Promise<string[]> {
  const { rows } = await pool.query<{ now: string }>('select clock_timestamp()::text as now');
  const untilAt = rows[0]?.now;
  const look = () =>
    pool.query<{ what: string }>(
      `select 'overdue: ' || key as what from schedules
       where id > $1 and status = 'active' and next_run_at <= $2::timestamptz
       union all
       select r.status || ': ' || s.key from every_run r join every_schedule s on s.id = r.schedule_id
       where s.id > $1 and r.status in ('queued', 'running', 'retrying') and r.due_at <= $2::timestamptz
         and s.status <> 'paused'`,
      [sinceId, untilAt],
    );
  const options = { withinMs: CALM_WITHIN_MS, everyMs: 50 };
  const isCalm = await eventually(async () => (await look()).rowCount === 0, options).catch(() => false);
  if (isCalm) return [];
  return (await look()).rows.slice(0, 20).map(({ what }) => `I3 not settled, ${what}`);
}

async function waitForBells(installation: Installation): Promise<string[]> {
  const isArmed = async () => (await checkBells(installation)).length === 0;
  const agrees = await eventually(isArmed, { withinMs: 15_000, everyMs: 100 }).catch(() => false);
  return agrees ? [] : checkBells(installation);
}
