import type { NodeCronTask } from './node-cron.js';

const CALL = /\b(?:schedule|createTask)\(\s*(['"`])([^'"`]+)\1/g;
const TEXT_OPTIONS = ['name', 'timezone'] as const;
const FLAG_OPTIONS = ['noOverlap', 'scheduled', 'runOnInit', 'recoverMissedExecutions'] as const;
const NUMBER_OPTIONS = ['maxExecutions', 'maxRandomDelay'] as const;

/**
 * Finds calls such as `cron.schedule('0 9 * * *', …, { timezone: 'Asia/Tokyo' })` in a source file. Only options that
 * are written as literals are found.
 */
export function findCronCalls(text: string, path: string): NodeCronTask[] {
  return [...text.matchAll(CALL)].map((match) => {
    const line = text.slice(0, match.index).split('\n').length;
    const call = callFrom(text, match.index);
    // The options are in the last braces of a call. The function before them may contain fields with the same names.
    const options = call.slice(Math.max(0, call.lastIndexOf('{')));
    const givenOptions = [
      ...TEXT_OPTIONS.map((name) => [name, new RegExp(`\\b${name}:\\s*['"\`]([^'"\`]+)`).exec(options)?.[1]]),
      ...FLAG_OPTIONS.map((name) => [
        name,
        flagOf(new RegExp(`\\b${name}:\\s*(true|false)`).exec(options)?.[1]),
      ]),
      ...NUMBER_OPTIONS.map((name) => [name, new RegExp(`\\b${name}:\\s*(\\d+)`).exec(options)?.[1]]),
    ].filter(([, value]) => value !== undefined);
    const name = `${path.replace(/^.*[\\/]/, '').replace(/\.\w+$/, '')}-${line}`;
    return {
      source: `${path}:${line}`,
      fields: { name, expression: match[2], ...Object.fromEntries(givenOptions) },
    };
  });
}

const flagOf = (text: string | undefined) => (text === undefined ? undefined : text === 'true');

/** The text of a call, up to the bracket that closes it. */
function callFrom(text: string, start: number): string {
  let depth = 0;
  for (let i = text.indexOf('(', start); i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')' && --depth === 0) return text.slice(start, i);
  }
  return text.slice(start);
}
