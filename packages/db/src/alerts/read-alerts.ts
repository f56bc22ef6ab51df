import type { BreachKind } from '@carillon/shared';
import type { Database } from '../database.js';
import { query } from '../statement.js';
import { Where } from '../where.js';

export interface AlertView {
  id: number;
  /** The id that clients and receivers see. */
  dedupId: string;
  /** The id of the schedule in the database, which the API does not show. */
  scheduleId: number;
  scheduleKey: string;
  scheduleName: string | null;
  kind: BreachKind;
  occurrenceAt: number;
  sentence: string;
  openedAt: number;
  resolvedAt: number | null;
  resolution: string | null;
  isSilenced: boolean;
}

const ALERT_COLUMNS = `id, dedup_id as "dedupId", schedule_id as "scheduleId", schedule_key as "scheduleKey", schedule_name as "scheduleName", kind, occurrence_at as "occurrenceAt",
  sentence, opened_at as "openedAt", resolved_at as "resolvedAt", resolution, is_silenced as "isSilenced"`;

export interface AlertFilter {
  state?: 'open' | 'resolved' | undefined;
  /** The key of a schedule. */
  schedule?: string | undefined;
}

interface AlertPage {
  projectId: number;
  filter: AlertFilter;
  limit: number;
  /** The last alert of the previous page. */
  beforeId: number | null;
}

/** Lists the alerts of a project, newest first. */
export function listAlerts(
  db: Database,
  { projectId, filter, limit, beforeId }: AlertPage,
): Promise<AlertView[]> {
  const where = new Where()
    .add('projectId', projectId, 'project_id = :projectId')
    .add('schedule', filter.schedule, 'schedule_key = :schedule')
    .add('beforeId', beforeId, 'id < :beforeId');
  if (filter.state === 'open') where.always('resolved_at is null');
  if (filter.state === 'resolved') where.always('resolved_at is not null');
  return query<AlertView>(
    db,
    `select ${ALERT_COLUMNS} from carillon.alerts where ${where.sql} order by id desc limit :limit`,
    { ...where.parameters, limit },
  );
}
