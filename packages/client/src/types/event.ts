import type { Run } from './run.js';

/** An event of the stream. */
export type CarillonEvent = (RunEvent | ScheduleEvent | OverflowEvent | DigestEvent) & {
  /** Pass it as `lastEventId` to resume after this event. */
  lastEventId: string;
};

/**
 * A run changed. `data` is the run at that time, but `data.id` is the id of the event, and `data.runId` the id of the
 * run.
 */
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

/** The client has missed more events than the API sends again. Read the history of runs instead. */
export interface OverflowEvent {
  type: 'overflow';
  data: { id: string; detail: string };
}

/**
 * A summary of the events of one second, sent instead of single events if the option `digest` is set. Delivered at
 * least once.
 */
export interface DigestEvent {
  type: 'digest';
  data: {
    id: string;
    total: number;
    /** The number of events by type. */
    counts: Record<string, number>;
    /** Up to 20 events in full, failures first. */
    samples: (RunEvent | ScheduleEvent | OverflowEvent)[];
  };
}
