import type { Job } from '../harness/tally.js';

/** As many as a worker has to one origin by default, and two workers make 200. */
export const CONNECTIONS_EACH = 100;

/** What Carillon would post for this job. */
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
