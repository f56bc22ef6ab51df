import type { Job } from '../harness/tally.js';

/** The default concurrency of one worker to one origin. Two workers together have 200 connections. */
export const CONNECTIONS_EACH = 100;

/** The body that Carillon posts for this job. */
export function exampleBody(job: Job, runId: string): string {
  return JSON.stringify({
    type: 'schedule.due',
    scheduleId: `job-${job.n}`,
    runId,
    occurrenceAt: new Date(job.at).toISOString(),
    firedAt: new Date(job.at).toISOString(),
    attempt: 1,
    payload: job,
  });
}
