export type QueryValue = string | number | boolean | Date | null | undefined;

/** `?a=1&b=2`, or nothing. What is undefined or null is left out. */
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
    // JSON makes null of a date that is none, which would mean something else altogether.
    const given = (this as Record<string, unknown>)[field];
    return given instanceof Date ? instantText(given, field) : value;
  });
}

function instantText(date: Date, field: string): string {
  if (Number.isNaN(date.getTime())) throw new TypeError(`${field} is an invalid Date`);
  return date.toISOString();
}

/** A segment of a path. Ids never hold anything that needs it, but what is not an id must not become another path. */
export const segment = (id: string | number) => {
  const text = encodeURIComponent(id);
  // Dots alone would be taken for a step in the path, encoded or not.
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${id}" is not an id`);
  return text;
};
