import { z } from 'zod';

/** Every queue that Carillon reads or writes, and what its jobs carry. Bells and ticks are its own affair. */
export const QUEUES = {
  bells: 'carillon-bells',
  ticks: 'carillon-ticks',
  requests: 'schedule-requests',
  rejected: 'schedule-rejected',
  /** Where a request that names no target is answered. */
  due: 'schedule-due',
} as const;

/** A bell says when to look, never what to do. */
export const Bell = z.object({
  /** By Postgres's clock, in milliseconds: it rings no earlier. */
  ringAt: z.int(),
});
export type Bell = z.infer<typeof Bell>;

export const BELL_JOB = 'bell';

/** BullMQ's own repeatable jobs, for our fixed ticks only. */
export const TICKS = {
  sweep: 'sweep',
  prune: 'prune',
  /** Domain events that wait: whoever writes one pokes, what is left over is the sweep's. */
  events: 'events',
  /** Tasks that are due soon. */
  tasks: 'tasks',
} as const;
export type Tick = (typeof TICKS)[keyof typeof TICKS];

/** What others put into `schedule-requests`. */
export const REQUESTS = { schedule: 'ScheduleRequest', cancel: 'ScheduleCancel' } as const;

/** What the target `queue` adds. */
export interface ScheduleDue {
  id: string;
  runId: string;
  occurrenceAt: string;
  firedAt: string;
  payload: unknown;
}

export const DUE_JOB = 'ScheduleDue';

/** What was refused, as it came, and why. */
export interface ScheduleRejected {
  name: string;
  data: unknown;
  reason: string;
}

export const REJECTED_JOB = 'ScheduleRejected';
