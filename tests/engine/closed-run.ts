import type { ClaimedRun, ClosedRun } from '@carillon/db';

const NOTHING_TO_REPORT = {
  durationMs: 1,
  httpStatus: null,
  errorCode: null,
  error: null,
  response: null,
  externalId: null,
  latenessMs: null,
  retryInMs: null,
};

/** The result that a worker writes for a claimed run whose delivery succeeded. */
export const succeededRun = (run: ClaimedRun): ClosedRun => ({
  ...run,
  ...NOTHING_TO_REPORT,
  status: 'succeeded',
  outcome: 'succeeded',
});

/** The result that a worker writes for a claimed run whose attempt could not begin. The run may start again at once. */
export const deferredRun = (run: ClaimedRun): ClosedRun => ({
  ...run,
  ...NOTHING_TO_REPORT,
  status: 'retrying',
  outcome: null,
  errorCode: 'busy',
  error: 'deferred by the test',
  retryInMs: 0,
});
