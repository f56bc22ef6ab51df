import { type Plan, readPlan, readTiming, type Timing } from '@carillon/shared';
import type { Database } from '../database.js';
import { statement } from '../statement.js';

/** A definition as it is stored. */
export interface StoredDefinition {
  version: number;
  name: string | null;
  tags: string[];
  rule: unknown;
  timing: Timing;
  plan: Plan;
  /** JSON text, as the client wrote it. */
  payloadText: string | null;
}

/** A definition of a schedule, with the time during which it was in force and its author. */
export interface DefinitionView extends StoredDefinition {
  definedAt: number;
  definedBy: string;
  /** Null for the current definition. */
  supersededAt: number | null;
  /** The timing of the previous definition; null for the first. */
  timingBefore: Timing | null;
}

interface Page {
  projectId: number;
  scheduleId: number;
  /** The last version of the previous page; null for the first page. */
  beforeVersion: number | null;
  limit: number;
}

const COLUMNS = `name, tags, rule, timing, plan, payload::text as "payloadText", defined_at as "definedAt",
  defined_by as "definedBy"`;
const isBefore = (version: string) => `(:beforeVersion::int is null or ${version} < :beforeVersion)`;

/**
 * A page may hold a thousand definitions with payloads of 256 KiB each, which would exhaust the memory. So a page ends
 * early, after the definition with which it reaches this size.
 */
const MAX_PAGE_BYTES = 4 * 1_024 * 1_024;

interface Row extends Omit<DefinitionView, 'timing' | 'plan' | 'timingBefore'> {
  timing: string;
  plan: string;
  timingBefore: string | null;
  bytesUpTo: number;
}

const select = statement<Page, Row>(
  'read-versions',
  `select version, name, tags, rule, timing, plan, "payloadText", "definedAt", "definedBy", "supersededAt",
          "timingBefore", "bytesUpTo"
   from (
     select *, sum(size) over (order by version desc) as "bytesUpTo", lead(timing) over (order by version desc) as "timingBefore"
     from (
       select *, octet_length(plan) + octet_length(timing) + coalesce(octet_length("payloadText"), 0) as size from (
         (select definition_version as version, ${COLUMNS}, null::timestamptz as "supersededAt" from carillon.schedules
          where project_id = :projectId and id = :scheduleId and ${isBefore('definition_version')})
         union all
         (select version, ${COLUMNS}, superseded_at from carillon.schedule_versions
          where project_id = :projectId and schedule_id = :scheduleId and ${isBefore('version')}
          order by version desc limit :limit)
         order by version desc limit :limit
       ) as held
     ) as sized
   ) as summed
   where "bytesUpTo" - size < ${MAX_PAGE_BYTES} order by version desc`,
);

/** The definitions of a schedule, newest first, and whether the page was cut short by its size. */
export async function readVersions(
  db: Database,
  page: Page,
): Promise<{ versions: DefinitionView[]; isCut: boolean }> {
  const rows = await select(db, page);
  return {
    versions: rows.map(({ bytesUpTo: _bytesUpTo, ...row }) => ({
      ...row,
      timing: readTiming(row.timing),
      plan: readPlan(row.plan),
      timingBefore: row.timingBefore === null ? null : readTiming(row.timingBefore),
    })),
    isCut: (rows.at(-1)?.bytesUpTo ?? 0) >= MAX_PAGE_BYTES,
  };
}
