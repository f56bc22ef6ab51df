/** The error codes that Carillon itself assigns. An HTTP status is counted by its class instead. */
const KNOWN = new Set([
  'bad_answer',
  'blocked_address',
  'circuit_open',
  'connection_lost',
  'connection_refused',
  'error',
  'handler_crashed',
  'name_not_found',
  'network',
  'no_ping',
  'no_start_ping',
  'not_allowed',
  'not_configured',
  'redis_unavailable',
  'reported_failure',
  'timeout',
  'tls',
  'unclaimable',
  'unreachable',
  'worker_lost',
]);

/** The reason of a failure as the label of a metric. The number of labels is bounded: any other code is `other`. */
export function failureLabel(errorCode: string): string {
  const [, statusClass] = /^http_([1-5])\d\d$/.exec(errorCode) ?? [];
  if (statusClass !== undefined) return `http_${statusClass}xx`;
  return KNOWN.has(errorCode) ? errorCode : 'other';
}
