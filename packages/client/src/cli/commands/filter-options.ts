import type { ScheduleFilter } from '../../types/bulk.js';
import type { Options, Values } from '../command.js';
import { readOptionalTime } from '../times.js';

/** Which schedules. */
export const FILTER_OPTIONS = {
  status: { type: 'string', value: '<status>', about: 'active, paused, finished or cancelled' },
  tag: { type: 'string', value: '<tag>', about: 'with this tag' },
  q: { type: 'string', value: '<text>', about: 'with this in their id or name' },
  'target-type': { type: 'string', value: '<type>', about: 'webhook, queue, handler or call' },
  'due-before': { type: 'string', value: '<time>', about: 'due before, such as +1h or 2026-11-16T09:00:00Z' },
  'due-after': { type: 'string', value: '<time>', about: 'due after' },
} as const satisfies Options;

/** Whether a status or a type is one is for the API to judge: it says which there are. */
export function readFilter(given: Values<typeof FILTER_OPTIONS>, nowAt: number): ScheduleFilter {
  return {
    status: given.status as ScheduleFilter['status'],
    tag: given.tag,
    q: given.q,
    target: given['target-type'] as ScheduleFilter['target'],
    dueBefore: readOptionalTime(given['due-before'], nowAt),
    dueAfter: readOptionalTime(given['due-after'], nowAt),
  };
}
