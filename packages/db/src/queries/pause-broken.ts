import type { Database } from '../database.js';
import { nowOr } from '../sql-text.js';

/** Pauses a schedule that can't go on, with no end and the reason where a person will look for it. */
export async function pauseBroken(
  db: Database,
  { id, note, now }: { id: number; note: string; now: number | null },
): Promise<void> {
  await db.query(
    `with paused as (
       update schedules
       set status = 'paused', version = version + 1, paused_at = coalesce(paused_at, ${nowOr('$3')}), paused_until = null,
           paused_by = 'carillon', pause_note = $2, updated_at = ${nowOr('$3')}
       where id = $1 and status in ('active', 'paused')
       returning project_id, key, updated_at
     )
     insert into audit_log (project_id, actor, action, subject, detail, at)
     select project_id, 'carillon', 'schedule.paused', key, json_build_object('note', $2::text), updated_at from paused`,
    [id, note, now],
  );
}
