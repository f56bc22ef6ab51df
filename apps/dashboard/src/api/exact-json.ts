/**
 * Newer browsers pass the source text of a value to the reviver, and can write raw JSON. TypeScript's types do not
 * include either of them yet.
 */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => object };

/**
 * Parses JSON and keeps integers beyond 2^53 exact, so that `JSON.stringify` writes them unchanged. A browser that
 * lacks `JSON.rawJSON` rounds them.
 */
export function parseExactly(text: string): unknown {
  if (!rawJSON) return JSON.parse(text);
  const keepBig: Reviver = (_, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? rawJSON(context?.source as string)
      : value;
  return JSON.parse(text, keepBig as Parameters<typeof JSON.parse>[1]);
}
