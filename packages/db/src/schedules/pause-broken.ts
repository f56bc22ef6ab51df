import type { Database } from '../database.js';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';

/**
 * Pauses a schedule that can't be claimed or resumed, with the reason in its note, until a person resumes it. Returns a
 * row if the schedule was paused.
 */
export const pauseBroken = statement<{ id: number; note: string; now: number | null }, { subject: string }>(
  'pause-broken',
  `with paused as (
     update carillon.schedules
     set status = 'paused', version = version + 1, paused_at = coalesce(paused_at, ${NOW}), paused_until = null,
         paused_by = 'carillon', pause_note = :note, updated_at = ${NOW}
     where id = :id and status in ('active', 'paused')
     returning id, project_id, key, version, updated_at
   ), held as (
     update carillon.agenda a set is_held = true, version = paused.version from paused where a.schedule_id = paused.id
   )
   insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
   select project_id, 'carillon', 'schedule.paused', key, json_build_object('note', :note::text), updated_at from paused
   returning subject`,
) satisfies (db: Database, parameters: { id: number; note: string; now: number | null }) => Promise<unknown>;
