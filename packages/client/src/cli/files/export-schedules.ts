import { ChosenKey, setOf } from '@carillon/shared';
import type { Schedule, ScheduleInput } from '../../types/schedule.js';
import { entryOfSchedule } from './entry-of-schedule.js';

export interface ExportResult {
  schedules: (ScheduleInput & { id: string })[];
  /** Says which schedules and values the file does not hold, and why. */
  notes: string[];
}

/**
 * Returns the entries of a file with the schedules of one set. If `set` is null, the file gets the schedules that
 * belong to no set.
 */
export function exportSchedules(schedules: readonly Schedule[], set: string | null): ExportResult {
  const isOwn = ({ id }: Schedule) => !ChosenKey.safeParse(id).success;
  const isDelay = ({ rule }: Schedule) => rule.in !== undefined;
  const isElsewhere = ({ tags }: Schedule) => setOf(tags) !== set;
  const isLeftOut = (schedule: Schedule) => isOwn(schedule) || isDelay(schedule) || isElsewhere(schedule);
  const kept = schedules.filter((schedule) => !isLeftOut(schedule));
  const others = new Set(schedules.flatMap(({ tags }) => setOf(tags) ?? []));
  others.delete(set ?? '');
  const redacted = kept.filter(
    ({ target }) => target.type === 'webhook' && Object.keys(target.headers).length > 0,
  );
  const notes = [
    counted(
      schedules.filter(isDelay),
      'left out, because its rule is a delay (`in`), which begins with the request',
    ),
    counted(schedules.filter(isOwn), 'left out, because Carillon makes it for a reminder or a person'),
    counted(
      schedules.filter(isElsewhere),
      `left out, because it belongs to a set (${[...others].join(', ')}); use --set`,
    ),
    counted(
      kept.filter(({ status }) => status === 'paused'),
      'paused; a file does not hold pauses',
    ),
    counted(redacted, `with redacted headers; replace them by references such as \${HOOK_TOKEN}`),
  ];
  return { schedules: kept.map(entryOfSchedule), notes: notes.filter((note) => note !== null) };
}

const counted = (schedules: readonly Schedule[], remark: string): string | null =>
  schedules.length === 0
    ? null
    : `${schedules.length} ${remark}: ${schedules
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}${schedules.length > 5 ? ', …' : ''}`;
