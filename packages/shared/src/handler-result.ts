/** Maximum size, as JSON, of a handler's return value that is kept with its attempt. */
export const MAX_RESULT_BYTES = 16 * 1_024;

/** The stored response of an attempt whose target is a handler: the value, or why it could not be kept. */
export type HandlerResult = { value: unknown } | { error: string };

/**
 * Reads the value that a handler returned from the stored response of its attempt. Null if the handler returned
 * nothing, or if the target of the run is not a handler (`handler` is null). The response of any other target is not
 * parsed, because it may look like the result of a handler. It is the text that a receiver answered, or the body of a
 * ping (the request by which a job reports to its heartbeat).
 */
export function readHandlerResult({
  handler,
  response,
}: {
  handler: string | null;
  response: string | null;
}): HandlerResult | null {
  return handler === null || response === null ? null : (JSON.parse(response) as HandlerResult);
}
