export { dstRemark } from './dst-remark.js';
export { formatDuration, parseDuration } from './duration.js';
export { jitterMs } from './jitter.js';
export {
  countOccurrences,
  firstOccurrence,
  lastOccurrence,
  nextOccurrence,
  nextOccurrences,
} from './occurrences.js';
export { type ParsedTiming, parseTiming, type TimingInput } from './parse-timing.js';
export { type Problem, UnusableRule } from './parsed.js';
export {
  type DstPolicy,
  type LeapDayPolicy,
  type Rule,
  type Timing,
  type TimingRule,
  timingKey,
} from './timing.js';
export { localTime } from './wall-time.js';
export { describeRule } from './words.js';
export { canonicalTimeZone, isTimeZone, timeZoneProblem } from './zone.js';
