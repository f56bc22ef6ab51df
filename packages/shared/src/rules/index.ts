export { formatDuration, parseDuration } from './duration.js';
export { jitterMs } from './jitter.js';
export {
  countOccurrences,
  firstOccurrence,
  lastOccurrence,
  nextOccurrence,
  nextOccurrences,
} from './occurrences.js';
export { type ParsedTiming, type Problem, parseTiming, type TimingInput } from './parse-timing.js';
export { UnusableRule } from './parsed.js';
export {
  type DstPolicy,
  type LeapDayPolicy,
  type Rule,
  type Timing,
  type TimingRule,
  timingKey,
} from './timing.js';
export { localTime } from './wall-time.js';
export { canonicalTimeZone, isTimeZone, timeZoneProblem } from './zone.js';
