import type { z } from 'zod';
import type { ScheduleInput } from './contracts/schedule.js';
import type { Target as TargetSchema } from './contracts/target.js';
import { type Moment, momentOf } from './decide-due.js';
import type { Plan } from './plan.js';
import {
  type Calendars,
  firstOccurrence,
  isCalendarName,
  nextOccurrence,
  type Problem,
  parseDuration,
  parseTiming,
  type Timing,
  timingKey,
} from './rules/index.js';
import { RecentCache } from './rules/recent-cache.js';
import { hostProblem } from './webhook/vet-url.js';

/** What applies where a schedule says nothing. */
export interface ScheduleDefaults {
  target: z.infer<typeof TargetSchema>;
  maxAttempts: number;
  baseDelayMs: number;
  /** Whether webhooks may go to this machine and its network. */
  allowPrivateTargets: boolean;
}

export interface Drafted {
  name: string | null;
  tags: string[];
  rule: ScheduleInput['rule'];
  timing: Timing;
  plan: Plan;
  first: Moment;
  warnings: string[];
}

export type DraftResult = { ok: true; drafted: Drafted } | { ok: false; problems: Problem[] };

/** Turns what a client said, already checked for its shape, into a definition with nothing left open. */
export function draftSchedule(
  input: ScheduleInput,
  {
    key,
    nowAt,
    defaults,
    calendars = NO_CALENDARS,
  }: { key: string; nowAt: number; defaults: ScheduleDefaults; calendars?: Calendars },
): DraftResult {
  const timed = draftTiming(input, nowAt, calendars);
  if (!timed.ok) return timed;
  const made = draftPlan(input, defaults);
  if (!made.ok) return made;
  const { plan } = made;
  const { name, tags } = labelsOf(input);
  return {
    ok: true,
    drafted: {
      name,
      tags,
      rule: input.rule,
      timing: timed.timing,
      plan,
      first: momentOf(key, plan, timed.firstAt),
      warnings: timed.warnings,
    },
  };
}

const NO_CALENDARS: Calendars = new Map();

/** The calendars that these inputs name. Asked before they are validated: nothing about them is certain. */
export function calendarsNamedBy(inputs: Iterable<unknown>): string[] {
  const names = new Set<string>();
  for (const input of inputs) {
    const exclusions = (input as { exclusions?: unknown } | null)?.exclusions;
    if (Array.isArray(exclusions)) for (const name of exclusions) if (isCalendarName(name)) names.add(name);
  }
  return [...names];
}

type DraftedTiming =
  | { ok: true; timing: Timing; firstAt: number; warnings: string[] }
  | { ok: false; problems: Problem[] };

/** A herd shares its rule: what was read within the hour is not read again, which is most of the work of a draft. */
const readLately = new RecentCache<string, { timing: Timing; warnings: string[] } | false>(1_000);
const HOUR_MS = 3_600_000;

function draftTiming(input: ScheduleInput, nowAt: number, calendars: Calendars): DraftedTiming {
  const { rule, timezone, startAt, endAt, dst, leapDay, exclusions } = input;
  // What a calendar says may change within the hour.
  const isFixed = rule.cron === undefined && rule.rrule === undefined;
  if (isFixed || calendars.size > 0) return readTimingOf(input, nowAt, calendars);
  const fields = [rule, timezone, startAt, endAt, dst, leapDay, exclusions];
  const known = readLately.get(`${Math.floor(nowAt / HOUR_MS)} ${JSON.stringify(fields)}`, () => {
    const read = readTimingOf(input, nowAt, calendars);
    return read.ok && read.timing.anchorAt === 0 && read;
  });
  const firstAt = known ? nextOccurrence(known.timing, nowAt) : null;
  return known && firstAt !== null ? { ok: true, ...known, firstAt } : readTimingOf(input, nowAt, calendars);
}

function readTimingOf(input: ScheduleInput, nowAt: number, calendars: Calendars): DraftedTiming {
  const parsed = parseTiming(input as Parameters<typeof parseTiming>[0], { anchorAt: nowAt, calendars });
  if (!parsed.ok) return parsed;
  const firstAt = firstOccurrence(parsed.timing);
  if (firstAt === null) throw new Error('a timing that was accepted has no occurrence');
  return { ok: true, timing: sharedTiming(parsed.timing), firstAt, warnings: parsed.warnings };
}

export function labelsOf({
  name,
  tags,
}: Pick<ScheduleInput, 'name' | 'tags'>): Pick<Drafted, 'name' | 'tags'> {
  return { name: name ?? null, tags: [...new Set(tags ?? [])].sort() };
}

/** What to do and by which policies, where it does not matter when. */
export function draftPlan(
  input: Omit<ScheduleInput, 'rule'>,
  defaults: ScheduleDefaults,
): { ok: true; plan: Plan } | { ok: false; problems: Problem[] } {
  const plan = planOf(input, defaults);
  const problems = hostProblems(plan, defaults.allowPrivateTargets);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, plan };
}

/** The hosts that can be refused by their spelling; what a name resolves to is vetted on each connection. */
function hostProblems({ target, onSuccess, onFailure }: Plan, allowPrivate: boolean): Problem[] {
  const urls = { 'target.url': target.type === 'webhook' ? target.url : null, onSuccess, onFailure };
  return Object.entries(urls).flatMap(([field, url]) => {
    const message = url === null ? null : hostProblem(url, { allowPrivate });
    return message === null ? [] : [{ field, message }];
  });
}

/** Where the rule does not count from its anchor, the anchor is left out: a herd then shares one text, and one parse. */
function sharedTiming(timing: Timing): Timing {
  const unanchored = { ...timing, anchorAt: 0 };
  return timingKey(unanchored) === timingKey(timing) ? unanchored : timing;
}

const TIMEOUT_MS = 15_000;
const MAX_DELAY_MS = HOUR_MS;
const GRACE_MS = 60_000;

const msOr = (text: string | null | undefined, usualMs: number) =>
  typeof text === 'string' ? (parseDuration(text) as number) : usualMs;

function planOf(input: Omit<ScheduleInput, 'rule'>, defaults: ScheduleDefaults): Plan {
  const { retry, misfire, dependsOn } = input;
  const baseDelayMs = msOr(retry?.baseDelay, defaults.baseDelayMs);
  return {
    target: input.target ?? defaults.target,
    timeoutMs: msOr(input.timeout, TIMEOUT_MS),
    retry: {
      maxAttempts: retry?.maxAttempts ?? defaults.maxAttempts,
      baseDelayMs,
      maxDelayMs: Math.max(baseDelayMs, msOr(retry?.maxDelay, MAX_DELAY_MS)),
      jitter: retry?.jitter ?? true,
    },
    misfire: {
      policy: misfire?.policy ?? 'once',
      graceMs: msOr(misfire?.grace, GRACE_MS),
      limit: misfire?.limit ?? 100,
    },
    overlap: input.overlap ?? 'allow',
    maxConcurrentRuns: input.maxConcurrentRuns ?? null,
    dependsOn: dependsOn ? { schedule: dependsOn.schedule, withinMs: msOr(dependsOn.within, 0) } : null,
    maxRuns: input.maxRuns ?? null,
    jitterMs: msOr(input.jitter, 0),
    pauseAfterFailures: input.pauseAfterFailures ?? null,
    onSuccess: input.onSuccess ?? null,
    onFailure: input.onFailure ?? null,
    hasSecret: typeof input.secret === 'string',
  };
}
