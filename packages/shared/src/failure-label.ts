/**
 * The error codes that Carillon itself assigns to failed attempts. A receiver’s answer has the code `http_` and its
 * status. `Outcome` takes no other code, so a new code has to be added here. The metrics then count it by its name.
 */
const ERROR_CODES = [
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
  'payload_invalid',
  'queue_full',
  'redis_unavailable',
  'reported_failure',
  'smtp',
  'timeout',
  'tls',
  'unclaimable',
  'unreachable',
  'worker_lost',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number] | `http_${number}`;

const KNOWN: ReadonlySet<string> = new Set(ERROR_CODES);

/** The reason of a failure as the label of a metric. The number of labels is bounded: any other code is `other`. */
export function failureLabel(errorCode: string): string {
  const [, statusClass] = /^http_([1-5])\d\d$/.exec(errorCode) ?? [];
  if (statusClass !== undefined) return `http_${statusClass}xx`;
  return KNOWN.has(errorCode) ? errorCode : 'other';
}
