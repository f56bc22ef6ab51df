import { type Plan, readPlan, readTiming, type Timing } from '@carillon/shared';
import type { Database } from '../database.js';
import { fromMs, toMs } from '../sql-text.js';
import { type RunView, SELECT_RUNS } from './runs.js';

/** A definition, and the time during which it held. */
export interface Definition {
  version: number;
  timing: Timing;
  plan: Plan;
  fromAt: number;
  /** Exclusive; null for the one that holds. */
  untilAt: number | null;
}

interface Range {
  projectId: number;
  scheduleId: number;
  fromAt: number;
  toAt: number;
}

/** The definitions of a schedule that held at any time up to the end of a range, oldest first. */
export async function readDefinitions(
  db: Database,
  { projectId, scheduleId, fromAt, toAt }: Range,
): Promise<Definition[]> {
  const { rows } = await db.query<Omit<Definition, 'timing' | 'plan'> & { timing: string; plan: string }>(
    `select version, timing, plan, ${toMs('created_at')} as "fromAt", ${toMs('superseded_at')} as "untilAt"
     from schedule_versions
     where project_id = $4 and schedule_id = $1 and created_at <= ${fromMs('$3::bigint')}
       and (superseded_at is null or superseded_at > ${fromMs('$2::bigint')})
     order by version limit 1000`,
    [scheduleId, fromAt, toAt, projectId],
  );
  return rows.map((row) => ({ ...row, timing: readTiming(row.timing), plan: readPlan(row.plan) }));
}

/** The runs of a schedule in a range, earliest occurrence first. */
export async function readRunsBetween(
  db: Database,
  { projectId, scheduleId, fromAt, toAt, limit }: Range & { limit: number },
): Promise<RunView[]> {
  const { rows } = await db.query<RunView>(
    `${SELECT_RUNS} where r.project_id = $5 and r.schedule_id = $1
       and r.occurrence_at between ${fromMs('$2::bigint')} and ${fromMs('$3::bigint')}
     order by r.occurrence_at, r.origin limit $4`,
    [scheduleId, fromAt, toAt, limit, projectId],
  );
  return rows;
}

/** A stretch of occurrences that all went the same way; both ends are occurrences. */
export interface Gap {
  fromAt: number;
  toAt: number;
  count: number;
  version: number;
  reasonCode: string;
  reason: string;
}

export async function readGapsBetween(
  db: Database,
  { projectId, scheduleId, fromAt, toAt }: Range,
): Promise<Gap[]> {
  const { rows } = await db.query<Gap>(
    `select ${toMs('from_at')} as "fromAt", ${toMs('to_at')} as "toAt", count, version, reason_code as "reasonCode", reason
     from gaps
     where project_id = $4 and schedule_id = $1 and to_at >= ${fromMs('$2::bigint')} and from_at <= ${fromMs('$3::bigint')}
     order by from_at limit 1000`,
    [scheduleId, fromAt, toAt, projectId],
  );
  return rows;
}

/** Who cancelled a schedule, and when. */
export async function readCancellation(
  db: Database,
  { projectId, key }: { projectId: number; key: string },
): Promise<{ at: number; actor: string } | null> {
  const { rows } = await db.query<{ at: number; actor: string }>(
    `select ${toMs('at')} as at, actor from audit_log
     where project_id = $1 and subject = $2 and action = 'schedule.cancelled' order by id limit 1`,
    [projectId, key],
  );
  return rows[0] ?? null;
}
