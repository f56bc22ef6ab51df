import { z } from 'zod';

/** Carillon's own queues. `bells` and `ticks` are internal; other programs use the rest. */
export const QUEUES = {
  bells: 'carillon-bells',
  ticks: 'carillon-ticks',
  requests: 'schedule-requests',
  rejected: 'schedule-rejected',
  /**
   * Runs are added to this queue if their schedule was requested in the short form, `{ id, at }` or `{ id, rrule }`,
   * without a target.
   */
  due: 'schedule-due',
} as const;

/**
 * The data of a bell, a delayed job that makes a worker look for due work. It does not say what to do: that is read
 * from Postgres.
 */
export const Bell = z.object({
  /** The earliest time to ring, in milliseconds by Postgres's clock. */
  ringAt: z.int(),
});
export type Bell = z.infer<typeof Bell>;

export const BELL_JOB = 'bell';

/**
 * Carillon's own jobs (ticks). BullMQ's job schedulers repeat all ticks except `events` and `alerts`, which a process
 * adds when there is work for them. Schedules of users never become job schedulers.
 */
export const TICKS = {
  sweep: 'sweep',
  prune: 'prune',
  /**
   * Handles pending domain events (recorded changes of users). The process that writes an event wakes a worker; if the
   * wake-up is lost, the sweep handles the event.
   */
  events: 'events',
  /** Fetches the files of calendars, and moves the next occurrences of schedules whose calendar has changed. */
  calendars: 'calendars',
  /** Scans for tasks that are due soon. */
  tasks: 'tasks',
  /**
   * Judges schedules by their objectives, and sends alerts, as the sweep does too. No job scheduler repeats this tick:
   * a worker adds it as a delayed job for a deadline before the next sweep, and the API adds it for a test message.
   */
  alerts: 'alerts',
  /** Compares the occurrences of all schedules with the runs that exist. */
  audit: 'audit',
  /** Computes and stores the forecasts of large projects. */
  forecasts: 'forecasts',
} as const;
export type Tick = (typeof TICKS)[keyof typeof TICKS];

/** The names of the jobs that other programs add to `schedule-requests`. */
export const REQUESTS = { schedule: 'ScheduleRequest', cancel: 'ScheduleCancel' } as const;

/** The job that a delivery to the target `queue` adds. */
export interface ScheduleDue {
  id: string;
  /** The key of the project that the schedule belongs to. */
  projectId: string;
  runId: string;
  occurrenceAt: string;
  firedAt: string;
  payload: unknown;
}

export const DUE_JOB = 'ScheduleDue';

/** A refused request, unchanged, with the reason. */
export interface ScheduleRejected {
  name: string;
  data: unknown;
  reason: string;
}

export const REJECTED_JOB = 'ScheduleRejected';
