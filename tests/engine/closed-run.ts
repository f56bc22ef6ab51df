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

/** A claimed run as a worker reports it after a delivery that succeeded. */
export const succeededRun = (run: ClaimedRun): ClosedRun => ({
  ...run,
  ...NOTHING_TO_REPORT,
  status: 'succeeded',
  outcome: 'succeeded',
});

/** A claimed run as a worker reports it when the attempt could not begin; it may start again at once. */
export const deferredRun = (run: ClaimedRun): ClosedRun => ({
  ...run,
  ...NOTHING_TO_REPORT,
  status: 'retrying',
  outcome: null,
  errorCode: 'busy',
  error: 'deferred by the test',
  retryInMs: 0,
});
