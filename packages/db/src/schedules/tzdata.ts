import { nextUnderTzdata, readPlan, readTiming, TZDATA_ACTOR } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inTransaction } from '../database.js';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';
import { readDefaultProject } from '../tenancy/projects.js';
import { redefineLocked } from './edit-schedule.js';
import { lockSchedule } from './locked-schedule.js';
import { readSchedule } from './read-schedules.js';
import { IS_ZONED } from './read-zoned.js';

/** The versions of time zone data in use. */
export interface TzdataState {
  /** The version with which the agenda was computed; null before the first sweep. */
  version: string | null;
  since: number | null;
  /** The version with which the agenda is being recomputed; null if no recomputation is under way. */
  next: string | null;
  cursor: number | null;
  /** The distinct versions of the live workers. */
  workers: string[];
}

const selectState = statement<{ now: number | null }, TzdataState>(
  'read-tzdata',
  `select tzdata as version, tzdata_since as since, tzdata_next as next, tzdata_cursor as cursor,
          array(select distinct tzdata from carillon.workers
                where tzdata is not null and stopped_at is null and alive_until > ${NOW} order by 1) as workers
   from carillon.installation`,
);

export async function readTzdata(db: Database, now: number | null): Promise<TzdataState> {
  const [state] = await selectState(db, { now });
  return state as TzdataState;
}

const markComputed = statement<{ version: string; now: number | null }>(
  'mark-tzdata',
  `update carillon.installation set tzdata = :version, tzdata_since = ${NOW}, tzdata_next = null, tzdata_cursor = null`,
);

const markProgress = statement<{ version: string; cursor: number }>(
  'mark-tzdata-progress',
  'update carillon.installation set tzdata_next = :version, tzdata_cursor = :cursor',
);

interface ZonedRow {
  id: number;
  key: string;
  projectId: number;
  timing: string;
  plan: string;
  occurrenceAt: number;
  dueAt: number;
  nowAt: number;
}

const selectZoned = statement<{ afterId: number; limit: number; now: number | null }, ZonedRow>(
  'read-zoned-schedules',
  `select s.id, s.key, s.project_id as "projectId", s.timing, s.plan, a.occurrence_at as "occurrenceAt", a.due_at as "dueAt",
          ${NOW} as "nowAt"
   from carillon.agenda a join carillon.schedules s on s.id = a.schedule_id
   where a.schedule_id > :afterId and ${IS_ZONED}
   order by a.schedule_id limit :limit`,
);

/** Maximum number of schedules that one step checks. Nearly all of them do not change. */
const LOOKED_AT_PER_STEP = 2_000;

export type TzdataStep =
  | { kind: 'same' }
  /** Live workers have different versions. The agenda is recomputed once all of them have the same version. */
  | { kind: 'differ'; versions: string[] }
  | { kind: 'computed'; retimed: number; dueAts: number[]; isDone: boolean; from: string };

/**
 * Recomputes the agenda if all live workers have the same version of the time zone data and the agenda was computed
 * with another version. One call does a bounded amount of work.
 */
export async function stepTzdata(
  pool: Pool,
  { version, now }: { version: string; now: number | null },
): Promise<TzdataStep> {
  const state = await readTzdata(pool, now);
  if (state.workers.some((other) => other !== version)) return { kind: 'differ', versions: state.workers };
  if (state.version === null) await markComputed(pool, { version, now });
  if (state.version === null || state.version === version) return { kind: 'same' };
  const afterId = state.next === version ? (state.cursor ?? 0) : 0;
  const rows = await selectZoned(pool, { afterId, limit: LOOKED_AT_PER_STEP, now });
  const change = { from: state.version, to: version };
  const dueAts: number[] = [];
  let retimed = 0;
  for (const row of rows) {
    const moved = await retimeZoned(pool, row, { ...change, now });
    if (!moved) continue;
    retimed++;
    dueAts.push(...moved);
  }
  const isDone = rows.length < LOOKED_AT_PER_STEP;
  if (isDone) await finish(pool, { ...change, now });
  else await markProgress(pool, { version, cursor: rows.at(-1)?.id ?? afterId });
  return { kind: 'computed', retimed, dueAts, isDone, from: state.version };
}

interface TzdataChange {
  from: string;
  to: string;
  now: number | null;
}

async function finish(pool: Pool, { from, to, now }: TzdataChange): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await markComputed(tx, { version: to, now });
    const { id: projectId } = await readDefaultProject(tx);
    const actor = `${TZDATA_ACTOR}${to}`;
    await recordAudit(tx, {
      projectId,
      key: null,
      actor,
      action: 'tzdata.changed',
      detail: { from, to },
      now,
    });
  });
}

/**
 * Moves the pending occurrence of one schedule, if the new data names another instant. Returns the due times whose
 * bells the caller arms.
 */
async function retimeZoned(pool: Pool, row: ZonedRow, { to, now }: TzdataChange): Promise<number[] | null> {
  const seen = { ...row, timing: readTiming(row.timing), plan: readPlan(row.plan) };
  // The occurrence is first computed without a lock, because new time zone data changes hardly any schedule.
  if (!nextUnderTzdata(seen, row.nowAt)) return null;
  return inTransaction(pool, async (tx) => {
    const schedule = await lockSchedule(tx, { id: row.id }, now);
    if (!schedule || schedule.occurrenceAt === null || schedule.dueAt === null) return null;
    const { occurrenceAt, dueAt, nowAt } = schedule;
    const found = nextUnderTzdata({ ...schedule, occurrenceAt, dueAt }, nowAt);
    const view = found && (await readSchedule(tx, schedule.projectId, schedule.key));
    if (!found || !view) return null;
    const { name, tags, rule, plan, payloadText: payload } = view;
    const definition = { name, tags, rule, timing: found.timing, plan, payload };
    const actor = `${TZDATA_ACTOR}${to}`;
    return (await redefineLocked(tx, schedule, { definition, next: found.next, actor })).dueAts;
  });
}
