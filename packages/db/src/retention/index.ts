export { applyRetention, type RetentionReport } from './apply-retention.js';
export { type FixedTable, forgetOld } from './fixed-retentions.js';
export { forgetSchedules } from './forget-schedules.js';
export { readCutoffs } from './read-cutoffs.js';
