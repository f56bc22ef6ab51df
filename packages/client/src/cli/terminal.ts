/** The output streams, and what they can display. */
export interface Terminal {
  out(text: string): void;
  note(text: string): void;
  style: Style;
  /** The width in characters; null for a file or a pipe. */
  columns: number | null;
  signal: AbortSignal;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type TextLook = keyof typeof CODES;
export type Style = (look: TextLook | null, text: string) => string;

export const plain: Style = (_look, text) => text;

export const coloured: Style = (look, text) =>
  look === null || text === '' ? text : `\u001b[${CODES[look]}m${text}\u001b[0m`;

const LOOKS: Readonly<Record<string, TextLook>> = {
  active: 'green',
  alive: 'green',
  ok: 'green',
  succeeded: 'green',
  up: 'green',
  degraded: 'yellow',
  due: 'yellow',
  paused: 'yellow',
  retrying: 'yellow',
  skipped: 'yellow',
  unknown: 'yellow',
  read_only: 'yellow',
  out_of_memory: 'yellow',
  access_denied: 'red',
  down: 'red',
  failed: 'red',
  lost: 'red',
  missing: 'red',
  running: 'cyan',
  queued: 'cyan',
  started: 'cyan',
  upcoming: 'dim',
  cancelled: 'dim',
  finished: 'dim',
  stopped: 'dim',
};

/** The colour or style in which a status is shown; null for none. */
export const lookOf = (status: string): TextLook | null => LOOKS[status] ?? null;

/** Removes control characters from untrusted text, so that it cannot move the cursor or change colours. */
export const withoutControls = (text: string) => text.replace(/\p{Cc}+/gu, ' ');
