export { dstRemark } from './dst-remark.js';
export { formatDuration, parseDuration } from './duration.js';
export { CALENDAR_NAME, isCalendarName, parseExclusion } from './exclusions.js';
export { jitterMs } from './jitter.js';
export {
  countOccurrences,
  firstOccurrence,
  lastOccurrence,
  nextOccurrence,
  nextOccurrences,
} from './occurrences.js';
export { type Calendars, parseTiming } from './parse-timing.js';
export type { Problem } from './parsed.js';
export {
  type DstPolicy,
  type LeapDayPolicy,
  type Timing,
  timingKey,
} from './timing.js';
export { localTime } from './wall-time.js';
export { describeRule } from './words.js';
export { canonicalTimeZone, isTimeZone } from './zone.js';
