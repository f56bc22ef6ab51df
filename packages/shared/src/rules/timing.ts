/** What a caller says, as it stands in the API's JSON: exactly one of these. */
export type Rule = { at: string } | { in: string } | { every: string } | { cron: string } | { rrule: string };

export interface DstPolicy {
  /** A local time that does not exist fires at the first instant after the gap, or not at all. */
  gap: 'shift' | 'skip';
  /** A local time that exists twice fires the first time, the second time, or both times. */
  overlap: 'first' | 'second' | 'both';
}

/** When an anniversary of 29 February fires in a common year. */
export type LeapDayPolicy = 'feb28' | 'mar1' | 'skip';

/** `in` has become an `at`. `wallTime` is set when `at` was given without an offset. */
export type TimingRule =
  | { kind: 'at'; at: number; wallTime: string | null }
  | { kind: 'every'; everyMs: number }
  | { kind: 'cron'; cron: string }
  | { kind: 'rrule'; rrule: string };

/** Everything that decides when a schedule fires, as plain JSON. Made by `parseTiming`. */
export interface Timing {
  rule: TimingRule;
  timezone: string;
  /** Both inclusive. */
  startAt: number | null;
  endAt: number | null;
  dst: DstPolicy;
  leapDay: LeapDayPolicy;
  /** `YYYY-MM-DD` or `YYYY-MM-DD/YYYY-MM-DD`, both ends included. */
  exclusions: string[];
  /** Named calendars of such dates, as they stood when the timing was made. */
  calendars: Record<string, string[]>;
  /** When the schedule was made: what `every` and an RRULE without DTSTART count from. */
  anchorAt: number;
}

export const DEFAULT_DST: DstPolicy = { gap: 'shift', overlap: 'first' };
export const DEFAULT_LEAP_DAY: LeapDayPolicy = 'feb28';

/**
 * The canonical form: two timings with the same key fire at the same instants. The anchor is in it only where the
 * rule counts from it, or no two schedules of a herd would ever share their work.
 */
export function timingKey(timing: Timing): string {
  const { startAt, endAt, dst, leapDay } = timing;
  // What is left at its default is left out: the key is built for every claim, and a short one is cheap to look up.
  let key = `${ruleKey(timing.rule)}\n${timing.timezone}`;
  if (dst.gap !== DEFAULT_DST.gap) key += `\ngap ${dst.gap}`;
  if (dst.overlap !== DEFAULT_DST.overlap) key += `\noverlap ${dst.overlap}`;
  if (leapDay !== DEFAULT_LEAP_DAY) key += `\nleap ${leapDay}`;
  if (startAt !== null) key += `\nfrom ${startAt}`;
  if (endAt !== null) key += `\nto ${endAt}`;
  if (countsFromAnchor(timing)) key += `\nanchor ${timing.anchorAt}`;
  const excluded = excludedDates(timing);
  if (excluded.length > 0) key += `\nexcept ${excluded.join()}`;
  return key;
}

/** All dates on which nothing fires, its own and those of its calendars. */
export function excludedDates({
  exclusions,
  calendars,
}: Pick<Timing, 'exclusions' | 'calendars'>): readonly string[] {
  const named = Object.values(calendars);
  return named.length === 0 ? exclusions : [...exclusions, ...named.flat()];
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
