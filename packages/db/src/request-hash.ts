import { hash } from 'node:crypto';

/** Hashes a request. Two requests that differ only in the order of their fields have the same hash. */
export function requestHashOf(value: unknown): string {
  return hash('sha256', canonical(value), 'base64url');
}

/**
 * Builds JSON with sorted keys by hand. `JSON.stringify` with a replacer takes three times as long, which would be a
 * fifth of the whole time of a bulk create.
 */
function canonical(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  let text = '{';
  for (const key of Object.keys(value).sort()) {
    const child = (value as Record<string, unknown>)[key];
    if (child !== undefined) text += `${JSON.stringify(key)}:${canonical(child)},`;
  }
  return `${text}}`;
}
