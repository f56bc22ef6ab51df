import { readFileSync } from 'node:fs';
import type { ScheduleInput, SchedulePatch } from '../types/schedule.js';
import type { Options, Values } from './command.js';
import { readTarget, TARGET_FORMS } from './read-target.js';
import { readDuration, readTime } from './times.js';
import { UsageError } from './usage-error.js';

/** Options for the common fields of a schedule. All other fields can be set with `--file`. */
export const SCHEDULE_OPTIONS = {
  cron: { type: 'string', value: '<fields>', about: 'cron rule, such as "0 9 * * 1-5"' },
  every: { type: 'string', value: '<duration>', about: 'interval rule, such as 15m or PT15M' },
  at: { type: 'string', value: '<time>', about: 'one-shot at a time, such as 2026-11-16T09:00 or +2h' },
  in: { type: 'string', value: '<duration>', about: 'one-shot after a delay, such as 90s or PT90S' },
  rrule: { type: 'string', value: '<rule>', about: 'recurrence rule by RFC 5545' },
  template: { type: 'string', value: '<id>', about: 'use the rule of this template' },
  tz: { type: 'string', value: '<zone>', about: 'time zone, such as Asia/Tokyo' },
  target: { type: 'string', value: '<target>', about: `where to deliver: ${TARGET_FORMS}` },
  payload: { type: 'string', value: '<json>', about: 'JSON payload to deliver' },
  name: { type: 'string', value: '<text>', about: 'display name' },
  tag: { type: 'string', value: '<tag>', multiple: true, about: 'tag' },
  'start-at': { type: 'string', value: '<time>', about: 'first possible occurrence' },
  'end-at': { type: 'string', value: '<time>', about: 'last possible occurrence' },
  'max-runs': { type: 'string', value: '<count>', about: 'maximum number of runs' },
  jitter: { type: 'string', value: '<duration>', about: 'random delay up to this duration' },
  overlap: { type: 'string', value: '<policy>', about: 'overlap policy: allow, skip, queue or cancel' },
  misfire: { type: 'string', value: '<policy>', about: 'misfire policy: once, all or skip' },
  attempts: { type: 'string', value: '<count>', about: 'maximum attempts per run' },
  timeout: { type: 'string', value: '<duration>', about: 'time-out of one attempt' },
  file: {
    type: 'string',
    short: 'f',
    value: '<path>',
    about: 'read the schedule from a JSON file; - is standard input',
  },
} as const satisfies Options;

type Given = Values<typeof SCHEDULE_OPTIONS>;

/** Merges the JSON file of `--file` and the other options; the options win. The API validates the result. */
export function readSchedule(given: Given, nowAt: number): SchedulePatch & { template?: string } {
  const fromFile = given.file === undefined ? {} : readObject(given.file);
  const fromOptions: Record<string, unknown> = {
    rule: readRule(given, nowAt),
    template: given.template,
    timezone: given.tz,
    target: given.target === undefined ? undefined : readTarget(given.target),
    payload: given.payload === undefined ? undefined : readJson(given.payload, '--payload'),
    name: given.name,
    tags: given.tag,
    startAt: time(given['start-at']),
    endAt: time(given['end-at']),
    maxRuns: readCount(given['max-runs'], 'max-runs'),
    jitter: length(given.jitter),
    overlap: given.overlap,
    misfire: given.misfire === undefined ? undefined : { policy: given.misfire },
    retry: given.attempts === undefined ? undefined : { maxAttempts: readCount(given.attempts, 'attempts') },
    timeout: length(given.timeout),
  };
  const merged = {
    ...fromFile,
    ...Object.fromEntries(Object.entries(fromOptions).filter(([, each]) => each !== undefined)),
  };
  if (Object.keys(merged).length === 0)
    throw new UsageError('no field of the schedule is given; see the options');
  return merged;

  function time(text: string | undefined) {
    return text === undefined ? undefined : readTime(text, nowAt);
  }
}

export function requireRule(schedule: object): ScheduleInput {
  if ('rule' in schedule || 'template' in schedule) return schedule as ScheduleInput;
  throw new UsageError('missing rule; use --cron, --every, --at, --in, --rrule or --template');
}

export function readRule(
  { cron, every, at, in: after, rrule }: Partial<Given>,
  nowAt: number,
): object | undefined {
  const rule = {
    cron,
    every: length(every),
    at: at === undefined ? undefined : readTime(at, nowAt),
    in: length(after),
    rrule: rrule?.replaceAll('\\n', '\n'),
  };
  const given = Object.entries(rule).filter(([, text]) => text !== undefined);
  if (given.length > 1)
    throw new UsageError(`expected one rule, got ${given.map(([kind]) => `--${kind}`).join(' and ')}`);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

const length = (text: string | undefined) => (text === undefined ? undefined : readDuration(text));

export function readCount(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} ${text}: expected a number`);
  return Number(text);
}

export function readObject(path: string): object {
  const value = readJson(readText(path), path);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(`${path}: expected a JSON object`);
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
