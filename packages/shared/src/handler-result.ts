/** Maximum size, as JSON, of a handler's return value that is kept with its attempt. */
export const MAX_RESULT_BYTES = 16 * 1_024;

/** The stored response of an attempt whose target is a handler: the value, or why it could not be kept. */
export type HandlerResult = { value: unknown } | { error: string };

/**
 * Reads the stored result of a handler. Null for a response that is text: the answer of a receiver, which has an HTTP
 * status, or the body of a ping (the request by which a job reports to its heartbeat).
 */
export function readHandlerResult({
  httpStatus,
  response,
}: {
  httpStatus: number | null;
  response: string | null;
}): HandlerResult | null {
  if (httpStatus !== null || response === null) return null;
  try {
    const stored: unknown = JSON.parse(response);
    const isResult =
      typeof stored === 'object' && stored !== null && ('value' in stored || 'error' in stored);
    return isResult ? (stored as HandlerResult) : null;
  } catch {
    return null;
  }
}
