/** Maximum size, as JSON, of a handler's return value that is kept with its attempt. */
export const MAX_RESULT_BYTES = 16 * 1_024;

/** The stored response of an attempt whose target is a handler: the value, or why it could not be kept. */
export type HandlerResult = { value: unknown } | { error: string };

/**
 * Reads the stored result of a handler. Null for an attempt over HTTP, which has a status and whose response is the
 * receiver's text.
 */
export function readHandlerResult({
  httpStatus,
  response,
}: {
  httpStatus: number | null;
  response: string | null;
}): HandlerResult | null {
  return httpStatus === null && response !== null ? (JSON.parse(response) as HandlerResult) : null;
}
