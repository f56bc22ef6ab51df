import { HOUR_MS, MINUTE_MS } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Database } from '../database.js';
import { instant, NOW } from '../instants.js';
import { arrayOf, statement, type Values } from '../statement.js';
import type { ForecastGroup } from './forecast.js';
import { countFires, type FiresByMinute, minuteOf } from './forecast-fires.js';

/** The forecast of a project with fewer schedules than this is quick enough to be computed for each request. */
const MIN_SCHEDULES = 1_000;
/** A stored forecast is computed again when it is older than this. */
const REFRESH_AFTER = `interval '50 seconds'`;
/** A stored forecast that is older than this is not used. The API then computes the forecast itself. */
const MAX_AGE_MS = 300_000;
/** Length of a stored forecast. Until it is `MAX_AGE_MS` old, it must cover the next 24 hours. */
const STORED_MS = 24 * HOUR_MS + MAX_AGE_MS + MINUTE_MS;
/**
 * Maximum number of groups of schedules that a stored forecast keeps, the largest groups first: about 3 MB of text.
 */
const MAX_GROUPS = 20_000;

/** The expected fires of a project, as a worker has stored them. */
export interface StoredForecast {
  computedAt: number;
  fires: FiresByMinute;
  isComplete: boolean;
}

/** A project whose stored forecast is missing or old. */
export interface DueForecast {
  projectId: number;
  /** Null if no forecast is stored. */
  computedAt: number | null;
}

/**
 * The condition with `exists` and `offset` is true for a project with at least `MIN_SCHEDULES` rows in `agenda` that
 * are not held. Postgres reads at most that many index entries per project, so the condition is quick.
 */
const selectDue = statement<Values, DueForecast>(
  'read-forecasts-due',
  `select p.id as "projectId", f.computed_at as "computedAt"
   from carillon.projects p left join carillon.forecasts f on f.project_id = p.id
   where exists (select from carillon.agenda a where a.project_id = p.id and not a.is_held offset ${MIN_SCHEDULES - 1})
     and (f.computed_at is null or f.computed_at < ${NOW} - ${REFRESH_AFTER})
   order by f.computed_at nulls first`,
);

/** The large projects whose stored forecast is missing or old, the oldest first. */
export function readForecastsDue(db: Database, now: number | null): Promise<DueForecast[]> {
  return selectDue(db, { now });
}

const upsert = statement<Values>(
  'store-forecast',
  `insert into carillon.forecasts as f (project_id, computed_at, fires, is_complete, groups, has_all_groups)
   values (:projectId, ${instant(':computedAt')}, :fires::int[], :isComplete, :groups, :hasAllGroups)
   on conflict (project_id) do update set computed_at = excluded.computed_at, fires = excluded.fires,
     is_complete = excluded.is_complete, groups = excluded.groups, has_all_groups = excluded.has_all_groups`,
);

/** Computes the forecast of a project, and stores it for all API processes. */
export async function storeForecast(pool: Pool, { projectId, nowAt }: { projectId: number; nowAt: number }) {
  const toAt = nowAt + STORED_MS;
  const { fires, groups, isComplete } = await countFires(pool, { projectId, fromAt: nowAt, toAt });
  const firstAt = minuteOf(nowAt);
  const minutes = Array.from({ length: Math.ceil(STORED_MS / MINUTE_MS) }, (_, n) => firstAt + n * MINUTE_MS);
  await upsert(pool, {
    projectId,
    computedAt: nowAt,
    fires: arrayOf(minutes.map((at) => fires.get(at) ?? 0)),
    isComplete,
    groups: JSON.stringify(groups.slice(0, MAX_GROUPS).map(toTuple)),
    hasAllGroups: isComplete && groups.length <= MAX_GROUPS,
  });
}

const IS_FRESH = `f.project_id = :projectId and f.computed_at > ${NOW} - ${MAX_AGE_MS} * interval '1 ms'`;

const selectFires = statement<Values, { computedAt: number; fires: number[]; isComplete: boolean }>(
  'read-stored-forecast',
  `select f.computed_at as "computedAt", f.fires, f.is_complete as "isComplete" from carillon.forecasts f where ${IS_FRESH}`,
);

/** The stored forecast of the next 24 hours, or null if there is none that is fresh enough. */
export async function readStoredForecast(
  db: Database,
  { projectId, now }: { projectId: number; now: number | null },
): Promise<StoredForecast | null> {
  const [row] = await selectFires(db, { projectId, now });
  if (!row) return null;
  const { computedAt, fires: counts, isComplete } = row;
  const fires: FiresByMinute = new Map();
  for (const [n, count] of counts.entries())
    if (count > 0) fires.set(minuteOf(computedAt) + n * MINUTE_MS, count);
  return { computedAt, fires, isComplete };
}

/** The recurring schedules of a stored forecast. */
export interface StoredGroups {
  computedAt: number;
  groups: readonly ForecastGroup[];
  isComplete: boolean;
}

const selectGroups = statement<Values, { computedAt: number; groups: string | null; isComplete: boolean }>(
  'read-stored-groups',
  `select f.computed_at as "computedAt", f.has_all_groups as "isComplete",
          case when f.computed_at is distinct from ${instant(':knownAt')} then f.groups end as groups
   from carillon.forecasts f where ${IS_FRESH}`,
);

/**
 * The recurring schedules of the stored forecast, or null if there is none that is fresh enough. The groups can be 3 MB
 * of text, so they are not read again if `known` holds the groups of the same forecast. Then `known` is returned.
 */
export async function readStoredGroups(
  db: Database,
  { projectId, known, now }: { projectId: number; known: StoredGroups | null; now: number | null },
): Promise<StoredGroups | null> {
  const [row] = await selectGroups(db, { projectId, knownAt: known?.computedAt ?? null, now });
  if (!row) return null;
  const { computedAt, groups, isComplete } = row;
  if (groups === null) return known;
  return { computedAt, isComplete, groups: (JSON.parse(groups) as GroupTuple[]).map(fromTuple) };
}

/** A group as it is stored. The names of the fields are left out, because there are thousands of groups. */
type GroupTuple = [string, number, number | null, number, number, number];
const toTuple = (group: ForecastGroup): GroupTuple => [
  group.timing,
  group.occurrenceAt,
  group.runsLeft,
  group.dueFromAt,
  group.dueToAt,
  group.schedules,
];
const fromTuple = ([
  timing,
  occurrenceAt,
  runsLeft,
  dueFromAt,
  dueToAt,
  schedules,
]: GroupTuple): ForecastGroup => ({
  timing,
  occurrenceAt,
  runsLeft,
  dueFromAt,
  dueToAt,
  schedules,
});
