import { readFileSync } from 'node:fs';
import type { ScheduleInput, SchedulePatch } from '../types/schedule.js';
import type { Options, Values } from './command.js';
import { readTarget, TARGET_FORMS } from './read-target.js';
import { readDuration, readTime } from './times.js';
import { UsageError } from './usage-error.js';

/** What can be said of a schedule on the command line; for the rest there is `--file`. */
export const SCHEDULE_OPTIONS = {
  cron: { type: 'string', value: '<fields>', about: 'by cron, such as "0 9 * * 1-5"' },
  every: { type: 'string', value: '<length>', about: 'at intervals, such as 15m or PT15M' },
  at: { type: 'string', value: '<time>', about: 'once, at a time such as 2026-11-16T09:00, or +2h' },
  in: { type: 'string', value: '<length>', about: 'once, after a while, such as 90s or PT90S' },
  rrule: { type: 'string', value: '<rule>', about: 'by RFC 5545' },
  template: { type: 'string', value: '<id>', about: 'by the rule of a template' },
  tz: { type: 'string', value: '<zone>', about: 'the time zone, such as Asia/Tokyo' },
  target: { type: 'string', value: '<target>', about: TARGET_FORMS },
  payload: { type: 'string', value: '<json>', about: 'what is delivered' },
  name: { type: 'string', value: '<text>', about: 'a name for people' },
  tag: { type: 'string', value: '<tag>', multiple: true, about: 'a tag' },
  'start-at': { type: 'string', value: '<time>', about: 'not before' },
  'end-at': { type: 'string', value: '<time>', about: 'not after' },
  'max-runs': { type: 'string', value: '<count>', about: 'so many times at the most' },
  jitter: { type: 'string', value: '<length>', about: 'spread over so long' },
  overlap: { type: 'string', value: '<policy>', about: 'allow, skip, queue or cancel' },
  misfire: { type: 'string', value: '<policy>', about: 'once, all or skip what was missed' },
  attempts: { type: 'string', value: '<count>', about: 'tries of one run at the most' },
  timeout: { type: 'string', value: '<length>', about: 'how long one try may take' },
  file: { type: 'string', short: 'f', value: '<path>', about: 'the JSON of a schedule; - is standard input' },
} as const satisfies Options;

type Given = Values<typeof SCHEDULE_OPTIONS>;

/** What the options say, over what the file says. Whether it makes sense is for the API to judge. */
export function readSchedule(given: Given, nowAt: number): SchedulePatch & { template?: string } {
  const fromFile = given.file === undefined ? {} : readObject(given.file);
  const said: Record<string, unknown> = {
    rule: readRule(given, nowAt),
    template: given.template,
    timezone: given.tz,
    target: given.target === undefined ? undefined : readTarget(given.target),
    payload: given.payload === undefined ? undefined : readJson(given.payload, '--payload'),
    name: given.name,
    tags: given.tag,
    startAt: time(given['start-at']),
    endAt: time(given['end-at']),
    maxRuns: count(given['max-runs'], 'max-runs'),
    jitter: length(given.jitter),
    overlap: given.overlap,
    misfire: given.misfire === undefined ? undefined : { policy: given.misfire },
    retry: given.attempts === undefined ? undefined : { maxAttempts: count(given.attempts, 'attempts') },
    timeout: length(given.timeout),
  };
  const merged = {
    ...fromFile,
    ...Object.fromEntries(Object.entries(said).filter(([, each]) => each !== undefined)),
  };
  if (Object.keys(merged).length === 0) throw new UsageError('nothing is said of the schedule');
  return merged;

  function time(text: string | undefined) {
    return text === undefined ? undefined : readTime(text, nowAt);
  }
}

export function requireRule(schedule: object): ScheduleInput {
  if ('rule' in schedule || 'template' in schedule) return schedule as ScheduleInput;
  throw new UsageError('when? Give --cron, --every, --at, --in, --rrule or --template');
}

function readRule({ cron, every, at, in: after, rrule }: Given, nowAt: number): object | undefined {
  const rule = {
    cron,
    every: length(every),
    at: at === undefined ? undefined : readTime(at, nowAt),
    in: length(after),
    rrule: rrule?.replaceAll('\\n', '\n'),
  };
  const given = Object.entries(rule).filter(([, text]) => text !== undefined);
  if (given.length > 1)
    throw new UsageError(`one rule at a time, not ${given.map(([kind]) => `--${kind}`).join(' and ')}`);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

const length = (text: string | undefined) => (text === undefined ? undefined : readDuration(text));

export function count(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} ${text}: expected a number`);
  return Number(text);
}

function readObject(path: string): object {
  const value = readJson(readText(path), path);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(`${path}: expected the JSON of one schedule`);
}

export function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what}: ${(error as Error).message}`);
  }
}
