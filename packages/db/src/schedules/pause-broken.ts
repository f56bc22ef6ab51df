import type { Database } from '../database.js';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';
import { HOLD_AGENDA, pause } from './schedule-transitions.js';

/**
 * Pauses a schedule that can't be claimed or resumed, until a person resumes it. The note of the pause gives the
 * reason. Returns a row if the schedule was paused.
 */
export const pauseBroken = statement<{ id: number; note: string; now: number | null }, { subject: string }>(
  'pause-broken',
  `with paused as (
     update carillon.schedules
     set ${pause({ at: NOW, untilAt: 'null', actor: `'carillon'`, note: ':note' })}
     where id = :id and status in ('active', 'paused')
     returning id, project_id, key, version, updated_at
   ), held as (
     ${HOLD_AGENDA}
   )
   insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
   select project_id, 'carillon', 'schedule.paused', key, json_build_object('note', :note::text), updated_at from paused
   returning subject`,
) satisfies (db: Database, parameters: { id: number; note: string; now: number | null }) => Promise<unknown>;
