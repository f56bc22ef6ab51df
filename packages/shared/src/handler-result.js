/** Maximum size, as JSON, of a handler's return value that is kept with its attempt. */
export const MAX_RESULT_BYTES = 16 * 1_024;
/** Reads a stored response. An attempt over HTTP has a status, and its response is the text of the receiver instead. */
export function readHandlerResult({ httpStatus, response, }) {
    return httpStatus === null && response !== null ? JSON.parse(response) : null;
}
//# sourceMappingURL=handler-result.js.map