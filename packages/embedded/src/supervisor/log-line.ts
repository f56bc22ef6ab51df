import { z } from 'zod';

const INFO = 30;
const WARN = 40;
const LEVELS = new Map([
  [40, 'warning'],
  [50, 'error'],
  [60, 'fatal'],
]);

const pinoLine = z.object({
  level: z.number(),
  msg: z.string().optional(),
  err: z.object({ message: z.string(), stack: z.string().optional() }).optional(),
  /** Only lines about a run have this id: lines that its handler logs, and the line that says why the run failed. */
  runId: z.string().optional(),
  scheduleId: z.string().optional(),
  handler: z.string().optional(),
  /** Why the run failed. */
  error: z.string().optional(),
});

/** A line of an app in its short form for the terminal. */
export interface TerminalLine {
  text: string;
  isWarning: boolean;
}

/**
 * Shortens a log line for the terminal. Returns null if the line is not shown there: a debug line, or a line of the
 * engine that is neither a warning nor an error.
 */
export function terminalLine(app: string, line: string): TerminalLine | null {
  const parsed = pinoLine.safeParse(parseJson(line));
  // The apps log JSON only, so anything else was printed by a handler.
  if (!parsed.success) return line.trim() === '' ? null : { text: `${app}: ${line}`, isWarning: false };
  const { level, msg, err, runId, scheduleId, handler, error } = parsed.data;
  if (level < INFO || (level < WARN && runId === undefined)) return null;
  const place = handler === undefined ? undefined : firstOwnFrame(err?.stack);
  const reason = place === undefined ? err?.message : `${err?.message} (${place})`;
  const texts = [msg, scheduleId, handler, error, reason].filter(
    (text, index, all) => text && all.indexOf(text) === index,
  );
  if (level < WARN) return { text: `${app}: ${texts.join(': ')}`, isWarning: false };
  return { text: `${app} ${LEVELS.get(level) ?? 'warning'}: ${texts.join(': ')}`, isWarning: true };
}

/** The first place in a stack trace that is neither in a package nor in Node: the user's own code. */
function firstOwnFrame(stack = ''): string | undefined {
  const frame = stack
    .split('\n')
    .find((line) => /^\s+at .*:\d+:\d+\)?$/.test(line) && !/node_modules|node:/.test(line));
  return frame?.match(/[^\s(]+:\d+:\d+/)?.[0];
}

function parseJson(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
