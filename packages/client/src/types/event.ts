import type { Run } from './run.js';

/** Something that happened. */
export type CarillonEvent = (RunEvent | ScheduleEvent | OverflowEvent) & {
  /** Where to go on after it, or after the events that came with it. */
  lastEventId: string;
};

/** A run changed: `data` is the run as it then was, `data.id` that of the event. */
export interface RunEvent {
  type: 'run.started' | 'run.succeeded' | 'run.failed' | 'run.retrying' | 'run.skipped' | 'run.cancelled';
  data: Run & { runId: string };
}

/** A schedule was created, edited, paused, …: `action` says which. */
export interface ScheduleEvent {
  type: 'schedule.changed';
  data: {
    id: string;
    scheduleId: string | null;
    action: string;
    actor: string;
    at: string;
    detail: unknown;
  };
}

/** More has happened than can be told: read the history instead. */
export interface OverflowEvent {
  type: 'overflow';
  data: { id: string; detail: string };
}
