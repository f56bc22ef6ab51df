import type { Installation } from '../harness/installation.js';
import { type DefinitionFact, type Facts, iso, type ScheduleFact } from './facts.js';
import { accountedTimes, namedBy } from './occurrences.js';

/**
 * Checks promise I1: the agenda has, for each schedule, the first occurrence of its rule that has neither a run nor a
 * gap (a record of occurrences that did not run).
 */
export function checkAgenda(facts: Facts): string[] {
  return facts.schedules.flatMap((schedule) => {
    const { key, status, occurrenceAt } = schedule;
    const definitions = facts.definitions.get(schedule.id) ?? [];
    const isLimited = definitions.some(({ plan }) => plan.maxRuns !== null);
    if (status === 'cancelled' || isLimited) return [];
    const expectedAt = firstOpenOccurrence(schedule, definitions, facts);
    if (expectedAt === occurrenceAt) return [];
    return [
      `I1 the agenda has ${textOf(occurrenceAt)} and the rule names ${textOf(expectedAt)}: ${key} ${status}`,
    ];
  });
}

const textOf = (at: number | null) => (at === null ? 'nothing' : iso(at));

function firstOpenOccurrence(
  schedule: ScheduleFact,
  definitions: readonly DefinitionFact[],
  facts: Facts,
): number | null {
  const timesOf = accountedTimes(schedule, facts);
  for (const [index, definition] of definitions.entries()) {
    const untilAt = definition.untilAt ?? Number.POSITIVE_INFINITY;
    for (const at of namedBy(definition, definitions[index - 1], untilAt)) if (timesOf(at) === 0) return at;
  }
  return null;
}

/** Finds rows that contradict each other. No committed state may contain such rows, not even during a fault. */
const CONTRADICTIONS = `
  select 'I3 a run is running without the lease of its claim' as what, s.key
  from carillon.runs r
  left join carillon.schedules s on s.id = r.schedule_id
  left join carillon.leases l on l.epoch = r.epoch and l.worker_id = r.worker_id
  where r.status = 'running' and l.epoch is null
  union all
  select 'I1 the agenda has a row without its schedule', a.schedule_id::text
  from carillon.agenda a left join carillon.schedules s on s.id = a.schedule_id where s.id is null
  union all
  select 'I4 a cancelled schedule is on the agenda', s.key
  from carillon.agenda a join carillon.schedules s on s.id = a.schedule_id where s.status = 'cancelled'
  union all
  select 'I4 the agenda holds a schedule that is not paused, or does not hold one that is', s.key
  from carillon.agenda a join carillon.schedules s on s.id = a.schedule_id where a.is_held <> (s.status = 'paused')
  union all
  select 'I5 the agenda has version ' || a.version || ' and the schedule ' || s.version, s.key
  from carillon.agenda a join carillon.schedules s on s.id = a.schedule_id where a.version <> s.version
  union all
  select 'I4 the list of stopped schedules has ' || coalesce(stopped.status::text, 'no row') || ' and the schedule is ' || s.status, s.key
  from carillon.schedules s left join carillon.stopped_schedules stopped on stopped.schedule_id = s.id
  where coalesce(stopped.status, 'active') <> s.status or stopped.paused_until is distinct from s.paused_until
  union all
  select 'I9 the agenda has the row in another project', s.key
  from carillon.agenda a join carillon.schedules s on s.id = a.schedule_id where a.project_id <> s.project_id`;

/** Looks for rows that contradict each other, all in one snapshot of Postgres. */
export async function findContradictions({ pool }: Pick<Installation, 'pool'>): Promise<string[]> {
  const { rows } = await pool.query<{ what: string; key: string | null }>(CONTRADICTIONS);
  return rows.slice(0, 20).map(({ what, key }) => `${what}: ${key ?? 'a schedule that does not exist'}`);
}

/**
 * Finds leases under which no run is running. One case is allowed and left out: after a run in flight was cancelled,
 * its lease stays until the worker notices.
 */
const EMPTY_LEASES = `
  select l.epoch from carillon.leases l
  where not exists (
    select from carillon.run_attempts a where a.epoch = l.epoch and (a.outcome is null or a.outcome = 'cancelled')
  )`;

export async function findEmptyLeases({ pool }: Pick<Installation, 'pool'>): Promise<string[]> {
  const { rows } = await pool.query<{ epoch: number }>(EMPTY_LEASES);
  return rows.slice(0, 20).map(({ epoch }) => `I3 a lease without a running run: epoch ${epoch}`);
}
