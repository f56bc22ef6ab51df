/**
 * True if the latest `limit` runs of a schedule all failed, so that `pauseAfterFailures` pauses it. `latest` are the
 * statuses of the latest ended runs in the order of their occurrences, latest first, at most `limit` of them. The order
 * in which the runs ended does not matter.
 */
export const keepsFailing = (latest: readonly { status: string }[], limit: number): boolean =>
  latest.length === limit && latest.every(({ status }) => status === 'failed');
