/**
 * The fields in which references to environment variables are replaced, because they hold addresses and secrets. A
 * payload is delivered unchanged.
 */
const FIELDS = new Set(['target', 'secret', 'onSuccess', 'onFailure']);
const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export interface FilledReferences {
  schedule: unknown;
  /** Variables that are not set. */
  missing: string[];
}

/**
 * Replaces `${NAME}` by the environment variable NAME in the target, the secret, `onSuccess` and `onFailure`. Replaces
 * `$${NAME}` by the text `${NAME}`.
 */
export function fillReferences(
  schedule: unknown,
  env: Readonly<Record<string, string | undefined>>,
): FilledReferences {
  const missing = new Set<string>();
  const fillText = (text: string) =>
    text.replace(REFERENCE, (_, isEscaped: string, name: string) => {
      if (isEscaped !== '') return `\${${name}}`;
      const value = env[name];
      if (value === undefined || value === '') missing.add(name);
      return value ?? '';
    });
  if (typeof schedule !== 'object' || schedule === null) return { schedule, missing: [] };
  const filled = Object.entries(schedule).map(([field, value]) => [
    field,
    FIELDS.has(field) ? mapTexts(value, fillText) : value,
  ]);
  return { schedule: Object.fromEntries(filled), missing: [...missing] };
}

/** Writes `${NAME}` as `$${NAME}` in all texts of a value, so that `fillReferences` restores the value. */
export const escapeReferences = <Value>(value: Value): Value =>
  mapTexts(value, (text) => text.replace(UNESCAPED, '$$$$')) as Value;

/** The dollar sign right before `{NAME}`. To escape a reference, this sign is doubled. */
const UNESCAPED = /\$(?=\{[A-Za-z_][A-Za-z0-9_]*\})/g;

/** Changes every text in a value, also in the objects and arrays within it. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapTexts(part, change)]));
}
