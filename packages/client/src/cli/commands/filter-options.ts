import type { ScheduleFilter } from '../../types/bulk.js';
import type { Options, Values } from '../command.js';
import { readOptionalTime } from '../times.js';

/** Options that select schedules. */
export const FILTER_OPTIONS = {
  status: { type: 'string', value: '<status>', about: 'active, paused, finished or cancelled' },
  tag: { type: 'string', value: '<tag>', about: 'schedules with this tag' },
  q: { type: 'string', value: '<text>', about: 'text in the id or the name' },
  'target-type': { type: 'string', value: '<type>', about: 'webhook, queue, handler, call or heartbeat' },
  'due-before': {
    type: 'string',
    value: '<time>',
    about: 'next run before this time, such as +1h or 2026-11-16T09:00:00Z',
  },
  'due-after': { type: 'string', value: '<time>', about: 'next run after this time' },
  attention: {
    type: 'string',
    value: '<reason>',
    about: 'schedules that need a person: failing, paused, overdue, blocked or breaching',
  },
} as const satisfies Options;

/** Builds the filter. The API validates the values of --status, --target-type and --attention. */
export function readFilter(given: Values<typeof FILTER_OPTIONS>, nowAt: number): ScheduleFilter {
  return {
    status: given.status as ScheduleFilter['status'],
    tag: given.tag,
    q: given.q,
    target: given['target-type'] as ScheduleFilter['target'],
    dueBefore: readOptionalTime(given['due-before'], nowAt),
    dueAfter: readOptionalTime(given['due-after'], nowAt),
    attention: given.attention as ScheduleFilter['attention'],
  };
}
