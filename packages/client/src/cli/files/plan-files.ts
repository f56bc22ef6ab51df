import { setOf, setTag } from '@carillon/shared';
import type { Carillon } from '../../carillon.js';
import type { PlannedSchedule } from '../../types/plan.js';
import type { Schedule, ScheduleInput } from '../../types/schedule.js';
import { UsageError } from '../usage-error.js';
import type { FilePlan, PlannedEntry, PrunedEntry } from './file-plan.js';
import type { ReadFiles } from './read-schedule-files.js';

/** Number of schedules that one request plans. The API accepts up to 1,000. */
const SCHEDULES_PER_REQUEST = 500;
const SCHEDULES_PER_PAGE = 1_000;

export interface PlanOptions {
  prune: boolean;
  /** Whether a schedule that belongs to another set may be moved to the set of the file. */
  takeOver: boolean;
}

/** Compares schedule files with the schedules of the project. Changes nothing. */
export async function planFiles(
  client: Carillon,
  { entries, sets, withoutSet }: ReadFiles,
  { prune, takeOver }: PlanOptions,
): Promise<FilePlan> {
  if (prune && withoutSet.length > 0) {
    const named = withoutSet.join(', ');
    throw new UsageError(`--prune needs a set, and ${named} names none; add \`set: <name>\` to the file`);
  }
  const planned: PlannedEntry[] = [];
  for (let from = 0; from < entries.length; from += SCHEDULES_PER_REQUEST) {
    const chunk = entries.slice(from, from + SCHEDULES_PER_REQUEST);
    const bodies = chunk.map(({ schedule, set }) => withSet(schedule as ScheduleInput, set));
    const { items } = await client.schedules.plan(bodies);
    for (const [i, { path, line, set, schedule }] of chunk.entries()) {
      const item = items[i] as PlannedSchedule;
      const { index: _, ...rest } = item;
      const entry = { id: schedule.id, source: `${path}:${line}`, set, schedule: bodies[i] as ScheduleInput };
      planned.push({ ...rest, ...entry, problem: problemOf(item, set, takeOver) });
    }
  }
  const listed = new Set(entries.map(({ schedule }) => schedule.id));
  const unlisted = (await Promise.all(sets.map((set) => readSet(client, set))))
    .flat()
    .filter(({ id }) => !listed.has(id));
  return { entries: planned, pruned: prune ? unlisted : [], unlisted: prune ? [] : unlisted };
}

const withSet = (schedule: ScheduleInput, set: string | null): ScheduleInput =>
  set === null ? schedule : { ...schedule, tags: [...(schedule.tags ?? []), setTag(set)] };

function problemOf(
  { errors = [], tags, status }: PlannedSchedule,
  set: string | null,
  takeOver: boolean,
): string | null {
  if (errors.length > 0) return errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const owner = status === 'cancelled' ? null : setOf(tags ?? []);
  if (owner === null || owner === set || takeOver) return null;
  return `belongs to the set ${owner}; remove it from the file of that set first, or pass --take-over`;
}

/** The active and paused schedules of a set. */
async function readSet(client: Carillon, set: string): Promise<PrunedEntry[]> {
  const entries: PrunedEntry[] = [];
  for await (const schedule of client.schedules.list({ tag: setTag(set), limit: SCHEDULES_PER_PAGE }))
    if (isLive(schedule))
      entries.push({ id: schedule.id, set, version: schedule.version, name: schedule.name });
  return entries;
}

const isLive = ({ status }: Schedule) => status === 'active' || status === 'paused';
