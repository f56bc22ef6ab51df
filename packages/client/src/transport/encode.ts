export type QueryValue = string | number | boolean | Date | null | undefined;

/**
 * Encodes values as a query string that begins with `?`; empty if there are none. Undefined and null values are
 * omitted.
 */
export function encodeQuery(query: Readonly<Record<string, QueryValue>> = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    given.set(name, value instanceof Date ? instantText(value, name) : String(value));
  }
  return given.size === 0 ? '' : `?${given}`;
}

export function encodeBody(body: unknown): string {
  return JSON.stringify(body, function (this: unknown, field: string, value: unknown) {
    // JSON.stringify turns an invalid Date into null, which has another meaning in the API.
    const given = (this as Record<string, unknown>)[field];
    return given instanceof Date ? instantText(given, field) : value;
  });
}

function instantText(date: Date, field: string): string {
  if (Number.isNaN(date.getTime())) throw new TypeError(`${field} is an invalid Date`);
  return date.toISOString();
}

/** Encodes an id as one segment of a path, so that no value can address another path. A valid id needs no encoding. */
export const pathSegment = (id: string | number) => {
  const text = encodeURIComponent(id);
  // `.` and `..` would be resolved as path steps, even if encoded.
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${id}" is not an id`);
  return text;
};
