import type { AuditView, RunView } from '@carillon/db';
import { presentRun, runIdOf } from '../present/run.js';

/** Something that happened, as it goes to whoever listens. */
export interface CarillonEvent {
  type: string;
  /** Has an `id` that stays the same when an event is sent again: deliveries are at least once. */
  data: { id: string } & Record<string, unknown>;
}

const ENDED = ['succeeded', 'failed', 'retrying', 'skipped', 'cancelled'];

/** What a run's state says has happened since `before`, which is what was last known of it. */
export function eventsOfRun(
  run: RunView,
  before: { attempt: number; status: string } | undefined,
): CarillonEvent[] {
  const data = presentRun(run);
  const event = (what: string): CarillonEvent => ({
    type: `run.${what}`,
    data: { ...data, id: `${runIdOf(run)}.${run.attempt}.${what}`, runId: data.id },
  });
  const events: CarillonEvent[] = [];
  const hasStarted = run.attempt > 0 && run.epoch !== null;
  if (hasStarted && before?.attempt !== run.attempt) events.push(event('started'));
  const hasChanged = before?.status !== run.status || before.attempt !== run.attempt;
  if (hasChanged && ENDED.includes(run.status)) events.push(event(run.status));
  return events;
}

export function eventOfAudit(entry: AuditView): CarillonEvent {
  const { id, at, actor, action, subject, detail } = entry;
  return {
    type: 'schedule.changed',
    data: { id: `audit.${id}`, scheduleId: subject, action, actor, at: at.toISOString(), detail },
  };
}
