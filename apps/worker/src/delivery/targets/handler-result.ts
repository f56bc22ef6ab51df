import { type HandlerResult, MAX_RESULT_BYTES } from '@carillon/shared';

/**
 * Returns the JSON text that is stored for a handler's return value; null if the handler returned nothing. If the value
 * can't be stored, the reason is stored instead. The run still succeeds, because its work is done.
 */
export function storedResult(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = textOf(value);
  if (typeof text === 'object') return JSON.stringify(text satisfies HandlerResult);
  return text === undefined ? null : `{"value":${text}}`;
}

function textOf(value: unknown): string | undefined | { error: string } {
  if (isSurelyTooLarge(value)) return tooLarge('more than');
  try {
    const text = JSON.stringify(value);
    const bytes = text === undefined ? 0 : Buffer.byteLength(text);
    return bytes > MAX_RESULT_BYTES ? tooLarge(`${bytes} bytes as JSON, more than`) : text;
  } catch (error) {
    return { error: `the value that the handler returned is not JSON: ${(error as Error).message}` };
  }
}

/** Looks only at the length of the value, because serializing many megabytes would block the worker. */
function isSurelyTooLarge(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length > MAX_RESULT_BYTES;
  return ArrayBuffer.isView(value) && value.byteLength > MAX_RESULT_BYTES;
}

const tooLarge = (how: string) => ({
  error: `the value that the handler returned was not kept: it has ${how} the ${MAX_RESULT_BYTES} bytes that are kept`,
});
