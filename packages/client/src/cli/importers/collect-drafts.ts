import { FileSchedule, parseTiming, unusedId } from '@carillon/shared';
import type { ScheduleInput } from '../../types/schedule.js';

/** A schedule of another system, converted to a schedule of Carillon. */
export interface ImportDraft {
  /** The place that the schedule comes from: a line, a key or a name. */
  source: string;
  /** The name of the job in the other system. It replaces `{name}` in `--target`. */
  job: string;
  schedule: ScheduleInput & { id: string };
  /** Settings that have no equivalent in Carillon, and what replaces them. */
  remarks: string[];
}

/** A schedule that can't be imported. */
export interface ImportRefusal {
  source: string;
  /** The rule as the other system writes it. */
  rule: string;
  reason: string;
}

export interface ImportResult {
  drafts: ImportDraft[];
  refusals: ImportRefusal[];
}

/** The result of reading one job of another system: a schedule without an id, or a reason why there is none. */
export type ReadItem =
  | { job: string; rule: string; schedule: Omit<ScheduleInput, 'id' | 'template'>; remarks: string[] }
  | { job: string; rule: string; reason: string };

/**
 * Reads the jobs of another system into drafts. The same jobs give the same ids, so that importing them again changes
 * nothing. A draft whose rule Carillon refuses becomes a refusal.
 */
export function collectDrafts<T>(
  system: string,
  items: readonly T[],
  { read, sourceOf }: { read: (item: T) => ReadItem; sourceOf: (item: T, index: number) => string },
): ImportResult {
  const imported: ImportResult = { drafts: [], refusals: [] };
  const taken = new Set<string>();
  for (const [index, item] of items.entries()) {
    const source = sourceOf(item, index);
    const readJob = read(item);
    if ('reason' in readJob) {
      imported.refusals.push({ source, rule: readJob.rule, reason: readJob.reason });
      continue;
    }
    const schedule = {
      id: unusedId(`${system}-${readJob.job}`, taken),
      name: readJob.job.slice(0, 256),
      tags: [system],
      ...readJob.schedule,
    } as ScheduleInput & { id: string };
    const { problem, warnings } = checkSchedule(schedule);
    if (problem !== null) imported.refusals.push({ source, rule: readJob.rule, reason: problem });
    else
      imported.drafts.push({
        source,
        job: readJob.job,
        schedule,
        remarks: [...readJob.remarks, ...warnings],
      });
  }
  return imported;
}

function checkSchedule(schedule: ScheduleInput): { problem: string | null; warnings: string[] } {
  const valid = FileSchedule.safeParse(schedule);
  if (!valid.success) {
    const messages = valid.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { problem: messages.join('; '), warnings: [] };
  }
  const parsed = parseTiming(valid.data as Parameters<typeof parseTiming>[0], { anchorAt: 0 });
  if (parsed.ok) return { problem: null, warnings: parsed.warnings };
  return {
    problem: parsed.problems.map(({ field, message }) => `${field}: ${message}`).join('; '),
    warnings: [],
  };
}
