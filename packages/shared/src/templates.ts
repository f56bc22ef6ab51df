import type { ScheduleInput } from './contracts/schedule.js';

/** A named rule. */
export interface Template {
  id: string;
  description: string;
  rule: ScheduleInput['rule'];
  /** The default time zone of schedules that use the template. */
  timezone: string | null;
}

/** The built-in templates of every project. */
export const BUILT_IN_TEMPLATES: readonly Template[] = [
  { id: 'hourly', description: 'Every hour, on the hour', rule: { cron: '0 * * * *' }, timezone: null },
  { id: 'daily-midnight', description: 'Every day at midnight', rule: { cron: '0 0 * * *' }, timezone: null },
  {
    id: 'weekdays-nine',
    description: 'Monday to Friday at nine',
    rule: { cron: '0 9 * * 1-5' },
    timezone: null,
  },
  {
    id: 'weekly-monday-eight',
    description: 'Every Monday at eight',
    rule: { cron: '0 8 * * 1' },
    timezone: null,
  },
];

export const builtInTemplate = (id: string) => BUILT_IN_TEMPLATES.find((template) => template.id === id);
