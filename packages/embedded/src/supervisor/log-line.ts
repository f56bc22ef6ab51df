import { z } from 'zod';

const WARN = 40;
const LEVELS = new Map([
  [40, 'warning'],
  [50, 'error'],
  [60, 'fatal'],
]);

const pinoLine = z.object({
  level: z.number(),
  msg: z.string().optional(),
  err: z.object({ message: z.string() }).optional(),
});

/** The short form of a log line for the terminal: warnings and errors only, null for other lines. */
export function terminalLine(app: string, line: string): string | null {
  const parsed = pinoLine.safeParse(parseJson(line));
  if (!parsed.success) return null;
  const { level, msg, err } = parsed.data;
  if (level < WARN) return null;
  const texts = [msg, err?.message].filter((text, index, all) => text && all.indexOf(text) === index);
  return `${app} ${LEVELS.get(level) ?? 'warning'}: ${texts.join(': ')}`;
}

function parseJson(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
