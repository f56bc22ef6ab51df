import { Carillon, CarillonError } from '@carillon/client';
import { parseExactly } from './exact-json.js';

/** The path below which another server has mounted the API; empty if the API has the whole origin. */
export const apiPath = document.querySelector('base')?.dataset.api ?? '';

/**
 * The client of the API on this origin. The browser adds the session cookie to each request, so no key is needed here.
 */
export const carillon = new Carillon({
  url: `${location.origin}${apiPath}`,
  maxRetries: 1,
  timeoutMs: 20_000,
  parseJson: parseExactly,
});

export const isSignedOut = (error: unknown): boolean =>
  error instanceof CarillonError && error.status === 401;
export const isConflict = (error: unknown): boolean => error instanceof CarillonError && error.status === 412;

/** Says in one sentence what went wrong. */
export function explainError(error: unknown): string {
  if (error instanceof CarillonError) return error.problem?.detail ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** Finds the API's message for one form field. `fields` are the paths by which the API may name the field. */
export function fieldError(error: unknown, ...fields: string[]): string | null {
  if (!(error instanceof CarillonError)) return null;
  const fieldProblem = error.fieldErrors.find(({ field }) =>
    fields.some((name) => field === name || field.startsWith(`${name}.`)),
  );
  return fieldProblem?.message ?? null;
}
