import { z } from 'zod';

/** Every queue that Carillon reads or writes, and what its jobs carry. Bells and ticks are its own affair. */
export const QUEUES = { bells: 'carillon-bells', ticks: 'carillon-ticks' } as const;

/** A bell says when to look, never what to do. */
export const Bell = z.object({
  /** By Postgres's clock, in milliseconds: it rings no earlier. */
  ringAt: z.int(),
});
export type Bell = z.infer<typeof Bell>;

export const BELL_JOB = 'bell';

/** BullMQ's own repeatable jobs, for our fixed ticks only. */
export const TICKS = { sweep: 'sweep', prune: 'prune' } as const;
