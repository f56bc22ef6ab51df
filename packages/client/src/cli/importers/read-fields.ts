/** The fields of an object of unknown shape, such as a job in the export of another system. */
export type Fields = Readonly<Record<string, unknown>>;

export const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const asText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** A number, or a number that is written as a text; null for anything else. */
export function asNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/**
 * An instant in a JSON export: a text, epoch seconds or milliseconds, or `{ "$date": … }` of MongoDB. Null if the value
 * is no instant.
 */
export function asInstant(value: unknown): string | null {
  if (value instanceof Date) return value.toISOString();
  const { $date, $numberLong } = asFields(value);
  if ($date !== undefined) return asInstant($date);
  const number = asNumber($numberLong ?? value);
  // Epoch seconds have ten digits until the year 2286, and milliseconds have thirteen.
  const at = number === null ? Date.parse(asText(value) ?? '') : number < 1e11 ? number * 1_000 : number;
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
