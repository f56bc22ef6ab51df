/** What came of reading a piece of a rule. Messages say what is wrong and what would be right. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; messages: string[] };

/** A message with the field of the input that it is about. */
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

/** A rule that is stored but can no longer be evaluated, say after a zone was dropped: its schedule must pause. */
export class UnusableRule extends Error {
  override name = 'UnusableRule';
}

const MAX_SHOWN = 40;

/** Input as it may stand in a message: hostile text is cut short. */
export function shown(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
