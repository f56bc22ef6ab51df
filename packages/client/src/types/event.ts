import type { Run } from './run.js';

/** An event of the stream. */
export type CarillonEvent = (RunEvent | ScheduleEvent | OverflowEvent | DigestEvent) & {
  /** Pass it as `lastEventId` to resume after this event. */
  lastEventId: string;
};

/** A run changed. `data` is the run at that time; `data.id` is the id of the event. */
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

/** Sent instead of single events with `digest`: the events of one second in summary. Delivered at least once. */
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
