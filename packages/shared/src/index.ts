export * from './admit.js';
export * from './contracts/fields.js';
export * from './contracts/schedule.js';
export { Target as TargetInput } from './contracts/target.js';
export * from './decide-due.js';
export * from './definition-cache.js';
export * from './draft-schedule.js';
export * from './outcome.js';
export * from './plan.js';
export * from './retry.js';
export {
  canonicalTimeZone,
  countOccurrences,
  type DstPolicy,
  type LeapDayPolicy,
  describeRule,
  dstRemark,
  firstOccurrence,
  formatDuration,
  isTimeZone,
  localTime,
  nextOccurrence,
  nextOccurrences,
  type Problem,
  parseDuration,
  parseTiming,
  type Timing,
  lastOccurrence,
} from './rules/index.js';
export * from './run-id.js';
export * from './webhook/index.js';
