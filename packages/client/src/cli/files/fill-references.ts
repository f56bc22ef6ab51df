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
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return fillText(value);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, fill(part)]));
  };
  if (typeof schedule !== 'object' || schedule === null) return { schedule, missing: [] };
  const filled = Object.entries(schedule).map(([field, value]) => [
    field,
    FIELDS.has(field) ? fill(value) : value,
  ]);
  return { schedule: Object.fromEntries(filled), missing: [...missing] };
}

/** Writes `${NAME}` as `$${NAME}`, so that `fillReferences` does not take it for a reference to a variable. */
export const escapeReferences = (text: string) => text.replace(/\$(?=\$?\{[A-Za-z_])/g, '$$$$');
