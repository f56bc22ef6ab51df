/** Where output goes, and what can be shown there. */
export interface Terminal {
  out(text: string): void;
  note(text: string): void;
  style: Style;
  /** How wide it is; null where it is a file or a pipe, which take any width. */
  columns: number | null;
  signal: AbortSignal;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Look = keyof typeof CODES;
export type Style = (look: Look | null, text: string) => string;

export const plain: Style = (_look, text) => text;

export const coloured: Style = (look, text) =>
  look === null || text === '' ? text : `\u001b[${CODES[look]}m${text}\u001b[0m`;

const LOOKS: Readonly<Record<string, Look>> = {
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
  down: 'red',
  failed: 'red',
  lost: 'red',
  running: 'cyan',
  queued: 'cyan',
  started: 'cyan',
  upcoming: 'dim',
  cancelled: 'dim',
  finished: 'dim',
  stopped: 'dim',
};

/** How a status looks, of whatever it is one. */
export const lookOf = (status: string): Look | null => LOOKS[status] ?? null;

/** What came from elsewhere cannot move the cursor or change colours: it is shown, and nothing else. */
export const harmless = (text: string) => text.replace(/\p{Cc}+/gu, ' ');
