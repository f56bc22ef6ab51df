import type { BreachKind } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { instant } from '../instants.js';
import { statement, type Values } from '../statement.js';

export interface OpenAlert {
  id: number;
  scheduleId: number;
  kind: BreachKind;
  occurrenceAt: number;
}

export const readOpenAlerts = statement<{ scheduleIds: string }, OpenAlert>(
  'read-open-alerts',
  `select id, schedule_id as "scheduleId", kind, occurrence_at as "occurrenceAt" from carillon.alerts
   where schedule_id = any(:scheduleIds::bigint[]) and resolved_at is null`,
);

interface NewAlert {
  projectId: number;
  scheduleId: number;
  scheduleKey: string;
  scheduleName: string | null;
  kind: BreachKind;
  occurrenceAt: number;
  sentence: string;
  /** When the objective was missed. */
  at: number;
  now: number;
}

const insert = statement<Values, { id: number }>(
  'insert-alert',
  `insert into carillon.alerts (project_id, schedule_id, schedule_key, schedule_name, kind, occurrence_at, sentence, opened_at, noted_at)
   select :projectId::bigint, :scheduleId::bigint, :scheduleKey::text, :scheduleName::text, :kind::text, ${instant(':occurrenceAt')}, :sentence::text,
          ${instant(':at')}, ${instant(':now')}
   where not exists (
     select from carillon.alerts a
     where a.schedule_id = :scheduleId and a.kind = :kind and a.resolved_at > ${instant(':at')}
   )
   on conflict do nothing returning id`,
);

/**
 * Opens an alert and returns its id. Returns null if this occurrence already had an alert of this kind, if the schedule
 * has an open alert of this kind, or if such an alert was resolved after the objective was missed (`at`).
 */
export async function insertAlert(tx: Transaction, alert: NewAlert): Promise<number | null> {
  const [row] = await insert(tx, { ...alert });
  return row?.id ?? null;
}

export const resolveAlert = statement<{ id: number; at: number; now: number; resolution: string }>(
  'resolve-alert',
  `update carillon.alerts
   set resolved_at = greatest(opened_at, ${instant(':at')}), resolution = :resolution, resolution_noted_at = ${instant(':now')},
       is_resolution_untold = true
   where id = :id and resolved_at is null`,
);
