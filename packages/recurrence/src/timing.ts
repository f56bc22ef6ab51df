/** A rule as the caller writes it in JSON. Exactly one of these keys is present. */
export type RuleInput =
  | { at: string }
  | { in: string }
  | { every: string }
  | { cron: string }
  | { rrule: string };

export interface DstPolicy {
  /** A local time inside a DST gap fires at the first instant after the gap (`shift`) or not at all (`skip`). */
  gap: 'shift' | 'skip';
  /** A local time that occurs twice fires at the first one, at the second one, or at both. */
  overlap: 'first' | 'second' | 'both';
}

/** The day on which a rule for 29 February fires in a common year. `skip` means that it fires in leap years only. */
export type LeapDayPolicy = 'feb28' | 'mar1' | 'skip';

/** The policy for an occurrence on an excluded day: leave it out, or move it to the next or the previous free day. */
export type ExcludedPolicy = 'skip' | 'next' | 'previous';

/** A parsed rule. `in` is resolved to `at`. `wallTime` is set if `at` was given without a UTC offset. */
export type TimingRule =
  | { kind: 'at'; at: number; wallTime: string | null }
  | { kind: 'every'; everyMs: number }
  | { kind: 'cron'; cron: string }
  | { kind: 'rrule'; rrule: string };

/** Everything that decides when a schedule fires, as plain JSON. `parseTiming` creates it. */
export interface Timing {
  rule: TimingRule;
  timezone: string;
  /** Inclusive. */
  startAt: number | null;
  /** Inclusive. */
  endAt: number | null;
  dst: DstPolicy;
  leapDay: LeapDayPolicy;
  /** `YYYY-MM-DD` or `YYYY-MM-DD/YYYY-MM-DD`; both ends are excluded days. */
  exclusions: string[];
  /** The dates and weekdays (`SA`) of each named calendar, copied when the timing was created. */
  calendars: Record<string, string[]>;
  onExcluded: ExcludedPolicy;
  /**
   * The business days of a month on which the rule fires, such as the third (3) or the last (-1). If empty, it fires on
   * every day.
   */
  businessDays: number[];
  /**
   * Future occurrences that already have a run, because a person skipped them or brought them forward under an earlier
   * definition. The rule does not name them again.
   */
  settledAts: number[];
  /** The creation time. `every` and an RRULE without DTSTART count from it. */
  anchorAt: number;
}

export const DEFAULT_DST: DstPolicy = { gap: 'shift', overlap: 'first' };

/**
 * The leap day policy of a rule that does not set one. A cron pattern means exactly what it says, so `0 0 29 2 *` fires
 * in leap years only. A yearly RRULE is an anniversary, which people celebrate every year.
 */
export function defaultLeapDay(kind: TimingRule['kind']): LeapDayPolicy {
  return kind === 'cron' ? 'skip' : 'feb28';
}

/**
 * The cache key: two timings with the same key fire at the same instants. The anchor is part of the key only if the
 * rule counts from it; otherwise schedules with the same rule could never share a cache entry.
 */
export function timingKey(timing: Timing): string {
  const { startAt, endAt, dst, leapDay, rule } = timing;
  // Each claim of a due occurrence builds this key, so settings that hold their default are left out to keep it short.
  let key = `${ruleKey(rule)}\n${timing.timezone}`;
  if (dst.gap !== DEFAULT_DST.gap) key += `\ngap ${dst.gap}`;
  if (dst.overlap !== DEFAULT_DST.overlap) key += `\noverlap ${dst.overlap}`;
  if (leapDay !== defaultLeapDay(rule.kind)) key += `\nleap ${leapDay}`;
  if (startAt !== null) key += `\nfrom ${startAt}`;
  if (endAt !== null) key += `\nto ${endAt}`;
  if (countsFromAnchor(timing)) key += `\nanchor ${timing.anchorAt}`;
  if (timing.settledAts.length > 0) key += `\nsettled ${timing.settledAts.join()}`;
  const excluded = excludedDates(timing);
  if (excluded.length > 0) key += `\nexcept ${excluded.join()}`;
  if (timing.onExcluded !== 'skip') key += `\nmoved ${timing.onExcluded}`;
  if (timing.businessDays.length > 0) key += `\nbusiness days ${timing.businessDays.join()}`;
  return key;
}

/** Everything that is excluded: the exclusions of the timing, and the dates and weekdays of its calendars. */
export function excludedDates({
  exclusions,
  calendars,
}: Pick<Timing, 'exclusions' | 'calendars'>): readonly string[] {
  const calendarDates = Object.values(calendars);
  return calendarDates.length === 0 ? exclusions : [...exclusions, ...calendarDates.flat()];
}

function ruleKey(rule: TimingRule): string {
  switch (rule.kind) {
    case 'at':
      return `at ${rule.at}`;
    case 'every':
      return `every ${rule.everyMs}`;
    case 'cron':
      return `cron ${rule.cron}`;
    case 'rrule':
      return `rrule ${rule.rrule}`;
  }
}

function countsFromAnchor({ rule, startAt }: Timing): boolean {
  if (startAt !== null) return false;
  return rule.kind === 'every' || (rule.kind === 'rrule' && !rule.rrule.includes('DTSTART'));
}
