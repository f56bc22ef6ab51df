import { defineSchedule } from 'carillon';
import { cleanUp, sendDigest } from './handlers.ts';

// The workers load this file, and create or update these schedules when they start.

export const morningDigest = defineSchedule({
  name: 'morning-digest',
  cron: '0 9 * * *',
  timezone: 'Europe/Berlin',
  handler: sendDigest,
  payload: { to: 'ada@example.com' },
});

export const nightlyCleanUp = defineSchedule({
  name: 'nightly-clean-up',
  cron: '30 2 * * *',
  timezone: 'Europe/Berlin',
  handler: cleanUp,
  // If a clean-up takes longer than a day, the next one is skipped.
  overlap: 'skip',
  retry: { maxAttempts: 5, baseDelay: 'PT1M' },
});
