export * from './admit.js';
export * from './contracts/bulk.js';
export * from './contracts/calendar.js';
export * from './contracts/fields.js';
export * from './contracts/list.js';
export * from './contracts/occurrences.js';
export * from './contracts/operations.js';
export * from './contracts/problem.js';
export * from './contracts/reminder.js';
export * from './contracts/run.js';
export * from './contracts/schedule.js';
export * from './contracts/schedule-answer.js';
export * from './contracts/schedule-patch.js';
export { Target as TargetInput } from './contracts/target.js';
export * from './contracts/task.js';
export * from './contracts/template.js';
export * from './contracts/tenancy.js';
export * from './contracts/user.js';
export * from './crontab.js';
export * from './decide-due.js';
export * from './draft-schedule.js';
export * from './outcome.js';
export * from './plan.js';
export * from './reminder.js';
export * from './retry.js';
export {
  type Calendars,
  canonicalTimeZone,
  countOccurrences,
  type DstPolicy,
  describeRule,
  dstRemark,
  firstOccurrence,
  formatDuration,
  isCalendarName,
  isTimeZone,
  type LeapDayPolicy,
  lastOccurrence,
  localTime,
  nextOccurrence,
  nextOccurrences,
  type Problem,
  parseDuration,
  parseTiming,
  type Timing,
} from './rules/index.js';
export { RecentCache } from './rules/recent-cache.js';
export * from './run-id.js';
export * from './stored-definition.js';
export * from './templates.js';
export * from './unstorable.js';
export * from './webhook/index.js';
export * from './yearly-event.js';
