import { nextUnderTzdata, readPlan, readTiming, TZDATA_ACTOR, type TzdataPeriod } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inTransaction } from '../database.js';
import { NOW } from '../instants.js';
import { arrayOf, statement } from '../statement.js';
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
  /** The versions that were in use in the latest recorded period; null before the first sweep. */
  used: string[] | null;
}

const selectState = statement<{ now: number | null }, TzdataState>(
  'read-tzdata',
  `select tzdata as version, tzdata_since as since, tzdata_next as next, tzdata_cursor as cursor,
          array(select distinct tzdata from carillon.workers
                where tzdata is not null and stopped_at is null and alive_until > ${NOW} order by 1) as workers,
          (select versions from carillon.tzdata_periods order by since desc limit 1) as used
   from carillon.installation`,
);

export async function readTzdata(db: Database, now: number | null): Promise<TzdataState> {
  const [state] = await selectState(db, { now });
  return state as TzdataState;
}

/**
 * A period is a stretch of time during which the same versions of the time zone data were in use. A sweep notices the
 * new version of a worker only some time after the worker has begun to compute occurrences. So a period begins when the
 * first worker with a new version started.
 */
const beginPeriod = statement<{ versions: string; used: string; now: number | null }>(
  'begin-tzdata-period',
  `insert into carillon.tzdata_periods (since, versions)
   select greatest(
            coalesce((select min(started_at) from carillon.workers
                      where tzdata = any(:versions::text[]) and tzdata <> all(:used::text[])
                        and stopped_at is null and alive_until > ${NOW}), ${NOW}),
            (select max(since) from carillon.tzdata_periods)), :versions::text[]
   on conflict (since) do update set versions = excluded.versions`,
);

/**
 * Begins a period if a version is in use that the latest period does not have. The new period also lists the earlier
 * versions until the agenda is recomputed, because occurrences that a stopped worker computed may still be pending.
 */
async function widenPeriod(
  db: Database,
  { version, workers, used }: Pick<TzdataState, 'version' | 'workers' | 'used'>,
  now: number | null,
): Promise<string[]> {
  const known = used ?? [];
  const versions = [...new Set([...known, ...workers, ...(version === null ? [] : [version])])].sort();
  if (versions.length > known.length)
    await beginPeriod(db, { versions: arrayOf(versions), used: arrayOf(known), now });
  return versions;
}

/**
 * The periods of the time zone data, oldest first. There is no limit, because each new version of the data adds only a
 * few.
 */
const selectPeriods = statement<Record<string, never>, TzdataPeriod>(
  'read-tzdata-periods',
  'select since as "sinceAt", versions from carillon.tzdata_periods order by since',
);

export const readTzdataPeriods = (db: Database): Promise<TzdataPeriod[]> => selectPeriods(db, {});

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

/**
 * Maximum number of schedules that one step checks. New time zone data moves the next occurrence of hardly any of them.
 */
const LOOKED_AT_PER_STEP = 2_000;

export type TzdataStep =
  | { kind: 'same' }
  /** Live workers have different versions. The agenda is recomputed once all of them have the same version. */
  | { kind: 'differ'; versions: string[] }
  | { kind: 'computed'; retimed: number; dueAts: number[]; isDone: boolean; from: string };

/**
 * Recomputes the agenda if all live workers have the same version of the time zone data and the agenda, or a part of
 * it, was computed with another version. One call does a bounded amount of work.
 */
export async function stepTzdata(
  pool: Pool,
  { version, now }: { version: string; now: number | null },
): Promise<TzdataStep> {
  const state = await readTzdata(pool, now);
  const used = await widenPeriod(pool, state, now);
  if (state.workers.some((other) => other !== version)) return { kind: 'differ', versions: state.workers };
  if (state.version === null) await markComputed(pool, { version, now });
  const other = state.version === version ? used.find((each) => each !== version) : state.version;
  if (state.version === null || !other) return { kind: 'same' };
  const afterId = state.next === version ? (state.cursor ?? 0) : 0;
  const rows = await selectZoned(pool, { afterId, limit: LOOKED_AT_PER_STEP, now });
  const change = { from: other, to: version };
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
  return { kind: 'computed', retimed, dueAts, isDone, from: other };
}

interface TzdataChange {
  from: string;
  to: string;
  now: number | null;
}

async function finish(pool: Pool, { from, to, now }: TzdataChange): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await markComputed(tx, { version: to, now });
    await beginPeriod(tx, { versions: arrayOf([to]), used: arrayOf([from, to]), now });
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
 * Moves the pending occurrence of one schedule, if the new data names another instant. Returns due times; the caller
 * arms a bell (a wake-up job in Redis) for each.
 */
async function retimeZoned(pool: Pool, row: ZonedRow, { to, now }: TzdataChange): Promise<number[] | null> {
  const seen = { ...row, timing: readTiming(row.timing), plan: readPlan(row.plan) };
  // The occurrence is first computed without a lock, because new time zone data changes hardly any schedule.
  if (!nextUnderTzdata(seen, row.nowAt)) return null;
  return inTransaction(pool, async (tx) => {
    const schedule = await lockSchedule(tx, { id: row.id }, now);
    if (!schedule || schedule.occurrenceAt === null || schedule.dueAt === null) return null;
    const { occurrenceAt, dueAt, nowAt } = schedule;
    const retimed = nextUnderTzdata({ ...schedule, occurrenceAt, dueAt }, nowAt);
    const view = retimed && (await readSchedule(tx, schedule.projectId, schedule.key));
    if (!retimed || !view) return null;
    const { name, tags, rule, plan, payloadText: payload } = view;
    const definition = { name, tags, rule, timing: retimed.timing, plan, payload };
    const actor = `${TZDATA_ACTOR}${to}`;
    return (await redefineLocked(tx, schedule, { definition, next: retimed.next, actor })).dueAts;
  });
}
