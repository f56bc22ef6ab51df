import type { AuditView, RunView } from '@carillon/db';
import { iso } from '../present/iso.js';
import { presentRun } from '../present/run.js';

/** An event as it is sent to listeners. */
export interface CarillonEvent {
  type: string;
  /** Events are delivered at least once. An event that is sent again has the same `id`. */
  data: { id: string } & Record<string, unknown>;
}

const REPORTED_STATUSES = ['succeeded', 'failed', 'retrying', 'skipped', 'cancelled'];

/**
 * The events that led a run from `before`, its state at the previous poll, to its present state. `before` is undefined
 * if no poll has seen the run yet.
 */
export function eventsOfRun(
  run: RunView,
  before: { attempt: number; status: string } | undefined,
): CarillonEvent[] {
  const events: CarillonEvent[] = [];
  const hasStarted = run.attempt > 0 && run.epoch !== null;
  if (hasStarted && before?.attempt !== run.attempt) events.push(eventOf(run, 'started'));
  const hasChanged = before?.status !== run.status || before.attempt !== run.attempt;
  if (hasChanged && REPORTED_STATUSES.includes(run.status)) events.push(endOfRun(run));
  return events;
}

/** The event for the present status of a run. */
export const endOfRun = (run: RunView): CarillonEvent => eventOf(run, run.status);

function eventOf(run: RunView, name: string): CarillonEvent {
  const data = presentRun(run);
  return {
    type: `run.${name}`,
    data: { ...data, id: `${data.id}.${run.attempt}.${name}`, runId: data.id },
  };
}

export function eventOfAudit(entry: AuditView): CarillonEvent {
  const { id, at, actor, action, subject, detail } = entry;
  return {
    type: 'schedule.changed',
    data: { id: `audit.${id}`, scheduleId: subject, action, actor, at: iso(at), detail },
  };
}
