import type { Pool } from 'pg';
import type { ChangeResult } from './change-schedule.js';
import { changeSchedule, Refused } from './change-schedule.js';
import { pauseLocked } from './pause-resume.js';

const ACTOR = 'carillon';

/** Pauses a schedule of which the latest `limit` runs all failed. Answers `refused` where they did not. */
export function pauseFailing(
  pool: Pool,
  { scheduleId, limit }: { scheduleId: number; limit: number },
): Promise<ChangeResult<void>> {
  return changeSchedule(pool, { ref: { id: scheduleId }, actor: ACTOR }, async (tx, schedule) => {
    const { rows } = await tx.query<{ status: string }>(
      `select status from runs where schedule_id = $1 and status in ('succeeded', 'failed') order by occurrence_at desc limit $2`,
      [scheduleId, limit],
    );
    const isFailing = rows.length === limit && rows.every(({ status }) => status === 'failed');
    if (schedule.status !== 'active' || !isFailing) throw new Refused('it is not failing');
    const note = limit === 1 ? 'its latest run failed' : `its latest ${limit} runs failed`;
    await pauseLocked(tx, schedule, { note, untilAt: null, actor: ACTOR });
    return { value: undefined, audit: { action: 'schedule.paused', detail: { note } } };
  });
}

/** Pauses a schedule whose receiver said that it is gone for good. */
export function pauseGone(pool: Pool, scheduleId: number): Promise<ChangeResult<void>> {
  return changeSchedule(pool, { ref: { id: scheduleId }, actor: ACTOR }, async (tx, schedule) => {
    if (schedule.status !== 'active') throw new Refused(`it is ${schedule.status}`);
    const note = 'the receiver answered 410 Gone';
    await pauseLocked(tx, schedule, { note, untilAt: null, actor: ACTOR });
    return { value: undefined, audit: { action: 'schedule.paused', detail: { note } } };
  });
}
