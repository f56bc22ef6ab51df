import type { EngineFacts } from '@carillon/shared';
import type { Database } from '../database.js';
import { SWEEP_INTERVAL } from '../engine/workers.js';
import { monthOf, NOW } from '../instants.js';
import { statement } from '../statement.js';
import { hasPartitions } from './partitions.js';

/** The sweep interval that is assumed while no worker is alive: the default of `SWEEP_INTERVAL_MS`. */
const DEFAULT_SWEEP_INTERVAL_MS = 5_000;
/**
 * Maximum number of due rows that are read, oldest first. A health probe must stay cheap while there is a backlog of
 * millions.
 */
const MAX_DUE_ROWS_READ = 10_000;

const THIS_MINUTE = `date_bin('1 minute', ${NOW}, 'epoch')`;

/** SQL: the growth of a counter in this minute and the five before. */
const lately = (name: string, condition = '') => `
          (select coalesce(sum(value), 0) from carillon.metric_minutes
           where minute >= ${THIS_MINUTE} - interval '5 minutes' and name = '${name}' ${condition})`;

/** SQL: the number of differences that the audit of occurrences has found; 0 after a day without differences. */
const AUDIT_DIFFERENCES = `
          (select coalesce(max(audit_differences), 0) from carillon.installation where audit_differed_at > ${NOW} - interval '1 day')`;

/**
 * SQL: how much drift (overdue runs, missing bells and expired leases) sweeps repaired in each of the last three whole
 * minutes, oldest first.
 */
const DRIFT_BY_MINUTE = `
          array(select coalesce(sum(value), 0) from generate_series(3, 1, -1) as ago
                left join carillon.metric_minutes on name = 'carillon_drift_total'
                  and minute = ${THIS_MINUTE} - ago * interval '1 minute'
                group by ago order by ago desc)`;

/** SQL: how many of the current and the next month have no partition. */
const MISSING_PARTITIONS = `
          (select count(*) from generate_series(0, 1) as ahead
           where not ${hasPartitions(`${monthOf(NOW)} + ahead * interval '1 month'`)})`;

const selectFacts = statement<{ now: number | null }, EngineFacts>(
  'read-engine-facts',
  `with live as materialized (
     select handlers, clock_offset_ms, open_circuits, tzdata, ${SWEEP_INTERVAL} as sweep_interval from carillon.workers
     where stopped_at is null and alive_until > ${NOW}
   ), known as materialized (
     select array(select distinct unnest(handlers) from live) as handlers
   ), due as (
     (select due_at as at, handler from carillon.agenda where not is_held and due_at <= ${NOW} order by due_at limit ${MAX_DUE_ROWS_READ})
     union all
     (select next_attempt_at, handler from carillon.runs where next_attempt_at <= ${NOW} order by next_attempt_at limit ${MAX_DUE_ROWS_READ})
   ), judged as (
     select at, handler is null or handler = any((select handlers from known)::text[]) as is_deliverable from due
   )
   select ${NOW} as now,
          (select held_code from carillon.installation) as "heldCode",
          (select count(*) from live) as "workersAlive",
          coalesce((select max(extract(epoch from sweep_interval)) * 1000 from live), ${DEFAULT_SWEEP_INTERVAL_MS})::float8 as "sweepIntervalMs",
          coalesce((select clock_offset_ms from live order by abs(clock_offset_ms) desc limit 1), 0) as "largestClockOffsetMs",
          array(select distinct tzdata from live where tzdata is not null order by 1) as "tzdataVersions",
          min(at) filter (where is_deliverable) as "oldestDeliverableAt",
          count(*) filter (where not is_deliverable) as "dueWithoutHandler",
          (select count(distinct circuit) from live, unnest(open_circuits) as circuit) as "openCircuits",
          ${lately('carillon_runs_failed_total')} as "failedLately",
          ${lately('carillon_attempts_total', `and labels = 'outcome="succeeded"'`)} as "succeededLately",
          ${DRIFT_BY_MINUTE} as "driftByMinute",
          ${MISSING_PARTITIONS} as "missingPartitions",
          ${AUDIT_DIFFERENCES} as "auditDifferences"
   from judged`,
);

/** Reads the facts from which the health of the engine is judged. The query reads only the oldest of the due rows. */
export async function readEngineFacts(db: Database, now: number | null): Promise<EngineFacts> {
  const [facts] = await selectFacts(db, { now });
  return facts as EngineFacts;
}
