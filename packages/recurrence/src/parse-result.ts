/** The result of parsing one piece of input. Each message says what is wrong and what to write instead. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; messages: string[] };

/** A message together with the input field that it is about. */
export interface Problem {
  field: string;
  message: string;
}

export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function refused(...messages: string[]): { ok: false; messages: string[] } {
  return { ok: false, messages };
}

/**
 * Thrown for a stored rule that can no longer be evaluated, for example because its time zone was removed from the
 * time zone database. The schedule must then pause.
 */
export class UnusableRule extends Error {
  override name = 'UnusableRule';
}

const MAX_QUOTED_LENGTH = 40;

/** Shortens user input for use in a message, so that hostile input cannot inflate the response. */
export function shorten(text: string): string {
  return text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
}
