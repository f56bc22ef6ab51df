/** Maximum size, as JSON, of a handler's return value that is kept with its attempt. */
export declare const MAX_RESULT_BYTES: number;
/** The stored response of an attempt whose target is a handler: the value, or why it could not be kept. */
export type HandlerResult = {
    value: unknown;
} | {
    error: string;
};
/** Reads a stored response. An attempt over HTTP has a status, and its response is the text of the receiver instead. */
export declare function readHandlerResult({ httpStatus, response, }: {
    httpStatus: number | null;
    response: string | null;
}): HandlerResult | null;
