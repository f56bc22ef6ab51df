import {
  type Calendars,
  firstOccurrence,
  isCalendarName,
  nextOccurrence,
  type Problem,
  parseTiming,
  RecentCache,
  type Timing,
  timingKey,
} from '@carillon/recurrence';
import type { ScheduleInput } from './contracts/schedule.js';
import { type DueOccurrence, dueOccurrenceOf } from './decide-due.js';
import { draftPlan, type ScheduleDefaults } from './draft-plan.js';
import { HOUR_MS } from './durations.js';
import type { Plan } from './plan.js';

export interface DraftedSchedule {
  name: string | null;
  tags: string[];
  rule: ScheduleInput['rule'];
  timing: Timing;
  plan: Plan;
  first: DueOccurrence;
  /**
   * When the schedule was drafted. The first occurrence lies after this instant, unless a rule `at` names an earlier
   * one.
   */
  draftedAt: number;
  warnings: string[];
}

export type DraftResult = { ok: true; drafted: DraftedSchedule } | { ok: false; problems: Problem[] };

/** Turns validated input of a client into a definition with all defaults filled in. */
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
      first: dueOccurrenceOf(key, plan, timed.firstAt),
      draftedAt: nowAt,
      warnings: timed.warnings,
    },
  };
}

const NO_CALENDARS: Calendars = new Map();

/** The names of the calendars in these inputs. The inputs are not validated yet, so any shape must be expected. */
export function calendarsNamedBy(inputs: Iterable<unknown>): string[] {
  const names = new Set<string>();
  for (const input of inputs) {
    const { exclusions, calendars } = (input ?? {}) as { exclusions?: unknown; calendars?: unknown };
    for (const list of [exclusions, calendars])
      if (Array.isArray(list)) for (const name of list) if (isCalendarName(name)) names.add(name);
  }
  return [...names];
}

type DraftedTiming =
  | { ok: true; timing: Timing; firstAt: number; warnings: string[] }
  | { ok: false; problems: Problem[] };

/**
 * Cache of parsed timings. Parsing is most of the work of a draft, and many schedules share their rule. An entry is
 * used only within the hour in which it was parsed, because the warnings depend on the time: they name the coming DST
 * changes.
 */
const recentlyParsed = new RecentCache<string, { timing: Timing; warnings: string[] } | false>({
  maxEntries: 1_000,
  maxBytes: 8_000_000,
  bytesOf: (key) => 500 + 6 * key.length,
});

function draftTiming(input: ScheduleInput, nowAt: number, calendars: Calendars): DraftedTiming {
  const { rule, timezone, startAt, endAt, dst, leapDay, exclusions, onExcluded } = input;
  // A calendar may change within the hour, so timings that refer to one are not cached.
  const isFixed = rule.cron === undefined && rule.rrule === undefined;
  const namesCalendar = (input.calendars?.length ?? 0) + (input.businessDays?.length ?? 0) > 0;
  if (isFixed || namesCalendar || calendars.size > 0) return readTimingOf(input, nowAt, calendars);
  const fields = [rule, timezone, startAt, endAt, dst, leapDay, exclusions, onExcluded];
  const known = recentlyParsed.get(`${Math.floor(nowAt / HOUR_MS)} ${JSON.stringify(fields)}`, () => {
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
}: Pick<ScheduleInput, 'name' | 'tags'>): Pick<DraftedSchedule, 'name' | 'tags'> {
  return { name: name ?? null, tags: [...new Set(tags ?? [])].sort() };
}

/**
 * Leaves the anchor (the creation time) out if the rule does not depend on it, so that many schedules share one text
 * and one parsed object.
 */
function sharedTiming(timing: Timing): Timing {
  const unanchored = { ...timing, anchorAt: 0 };
  return timingKey(unanchored) === timingKey(timing) ? unanchored : timing;
}
