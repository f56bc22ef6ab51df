import type { CarillonEvent } from './event.js';

/** The events that a listener wants. A field that is null accepts all. */
export interface EventFilter {
  schedules: ReadonlySet<string> | null;
  types: ReadonlySet<string> | null;
  /** Statuses of runs. An event that is not about a run has no status, so it never matches. */
  statuses: ReadonlySet<string> | null;
}

/** An overflow is sent to every listener, because the listener may have missed events that it wanted. */
export function isWanted(
  { type, data }: CarillonEvent,
  { schedules, types, statuses }: EventFilter,
): boolean {
  if (type === 'overflow') return true;
  if (types && !types.has(type)) return false;
  if (schedules && !schedules.has(String(data.scheduleId))) return false;
  return !statuses || (type.startsWith('run.') && statuses.has(String(data.status)));
}
