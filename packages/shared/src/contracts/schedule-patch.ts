import type { z } from 'zod';
import { ScheduleInput } from './schedule.js';

/** What may be changed: all but the id. What is left out stays; `dst`, `misfire` and `retry` are merged field by field. */
export const SchedulePatch = ScheduleInput.omit({ id: true })
  .partial()
  .meta({ id: 'SchedulePatch', examples: [{ rule: { cron: '0 10 * * 1-5' }, retry: { maxAttempts: 5 } }] });
export type SchedulePatch = z.infer<typeof SchedulePatch>;
