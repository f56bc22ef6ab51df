export { resolveWallTime } from './calendar/instant-text.js';
export { localTime } from './calendar/wall-time.js';
export { formatDuration, parseDuration } from './duration.js';
export {
  CALENDAR_NAME,
  excludedWeekday,
  isCalendarName,
  parseExclusion,
  WEEKDAY_CODES,
} from './excluded/exclusions.js';
export { jitterMs } from './jitter.js';
export {
  countOccurrences,
  excludedOccurrences,
  firstOccurrence,
  lastOccurrence,
  nextOccurrence,
  nextOccurrences,
  occurrencesWithin,
} from './occurrences.js';
export { type Problem, UnusableRule } from './parse-result.js';
export { type Calendars, type ParsedTiming, parseTiming, type TimingInput } from './parse-timing.js';
export { RecentCache } from './recent-cache.js';
export {
  type DstPolicy,
  defaultLeapDay,
  type ExcludedPolicy,
  type LeapDayPolicy,
  type RuleInput,
  type Timing,
  type TimingRule,
  timingKey,
} from './timing.js';
export { describeRule } from './words/describe-rule.js';
export { type DstChange, dstChanges } from './words/dst-changes.js';
export { occurrenceRemark } from './words/occurrence-remark.js';
export { canonicalTimeZone, isTimeZone } from './zone/time-zone-name.js';
