import { encodeRunId } from '@carillon/shared';
import type { Acknowledged } from '../harness/client.js';
import { type AuditFact, type Facts, groupBy, iso, type ScheduleFact } from './facts.js';

/**
 * Checks promises I4 and I5 by the audit log: nothing was claimed after a pause or cancel, or under a definition that
 * an edit had replaced. The entry of a change is written under the lock of the schedule. So a claim before the change
 * has an earlier time than the entry, and a claim after it a later one.
 */
export function checkChanges(facts: Facts): string[] {
  const changes = groupBy(facts.audit, ({ projectId, key }) => `${projectId} ${key}`);
  return facts.schedules.flatMap((schedule) => {
    const own = changes.get(`${schedule.projectId} ${schedule.key}`) ?? [];
    return [...checkStops(schedule, own, facts), ...checkEdits(schedule, own, facts)];
  });
}

interface Stop {
  by: AuditFact;
  untilAt: number;
}

/** The spans of time in which a schedule was paused or cancelled. */
function stopsIn(changes: readonly AuditFact[]): Stop[] {
  const stops: Stop[] = [];
  let open: Stop | null = null;
  for (const change of changes) {
    if (open && ['schedule.resumed', 'schedule.paused'].includes(change.action)) {
      open.untilAt = Math.min(open.untilAt, change.at);
      open = null;
    }
    if (change.action !== 'schedule.paused' && change.action !== 'schedule.cancelled') continue;
    open = { by: change, untilAt: change.detail?.untilAt ?? Number.POSITIVE_INFINITY };
    stops.push(open);
  }
  return stops;
}

function checkStops(schedule: ScheduleFact, changes: readonly AuditFact[], facts: Facts): string[] {
  const violations: string[] = [];
  for (const { by, untilAt } of stopsIn(changes)) {
    for (const attempt of facts.attempts.get(schedule.id) ?? []) {
      const name = `${schedule.key} ${iso(attempt.occurrenceAt)} attempt ${attempt.number}`;
      if (attempt.claimedAt > by.at && attempt.claimedAt < untilAt) {
        violations.push(`I4 claimed ${attempt.claimedAt - by.at} ms after ${by.action}: ${name}`);
      }
      const wasInFlight = attempt.claimedAt < by.at && (attempt.finishedAt ?? 0) > by.at;
      if (by.detail?.inFlight && wasInFlight && !by.detail.inFlight.includes(encodeRunId(attempt))) {
        violations.push(`I4 in flight and not named by ${by.action}: ${name}`);
      }
    }
  }
  return violations;
}

function checkEdits(schedule: ScheduleFact, changes: readonly AuditFact[], facts: Facts): string[] {
  const violations: string[] = [];
  for (const { action, at, detail } of changes) {
    if (action !== 'schedule.edited' && action !== 'schedule.replaced') continue;
    for (const run of facts.runs.get(schedule.id) ?? []) {
      // A run that was recorded before the edit keeps its definition, also in later attempts.
      if (run.attempt > 0 && run.recordedAt > at && run.version < (detail?.version ?? 0)) {
        violations.push(
          `I5 version ${run.version} claimed after the edit to ${detail?.version}: ${schedule.key} ${iso(run.occurrenceAt)}`,
        );
      }
    }
  }
  return violations;
}

/** Checks that Postgres has every change that the API acknowledged. */
export function checkAcknowledged(
  facts: Facts,
  project: string,
  acknowledged: readonly Acknowledged[],
): string[] {
  const schedules = new Map(
    facts.schedules.filter((each) => each.project === project).map((each) => [each.key, each]),
  );
  return acknowledged.flatMap((promise) => {
    const schedule = schedules.get(promise.id);
    if (!schedule) return [`I1 acknowledged and not in the database: ${promise.what} ${promise.id}`];
    if (promise.what === 'cancelled' && schedule.status !== 'cancelled') {
      return [`I4 a cancel was acknowledged and the schedule is ${schedule.status}: ${promise.id}`];
    }
    if (promise.what === 'edited' && schedule.definitionVersion < promise.version) {
      return [`I5 an edit was acknowledged and is not in the database: ${promise.id}`];
    }
    return [];
  });
}
