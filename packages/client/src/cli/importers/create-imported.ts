import { nextOccurrences, parseTiming } from '@carillon/shared';
import type { Carillon } from '../../carillon.js';
import type { BulkResult } from '../../types/bulk.js';
import type { ScheduleInput } from '../../types/schedule.js';
import { ruleText } from '../in-words.js';
import type { ImportDraft, ImportResult } from './collect-drafts.js';

/** The result of the import of one schedule of another system. */
export interface ImportedLine {
  source: string;
  id: string | null;
  result: 'ready' | BulkResult['result'] | 'not taken';
  rule: string;
  next: string | null;
  remarks: string[];
}

/** Number of schedules that one request creates. The API accepts up to 10,000. */
const SCHEDULES_PER_REQUEST = 1_000;

const lineOf = ({ source, schedule, remarks }: ImportDraft): Omit<ImportedLine, 'result' | 'next'> => ({
  source,
  id: schedule.id,
  rule: `${ruleText(schedule.rule as Parameters<typeof ruleText>[0])}  ${schedule.timezone ?? 'UTC'}`,
  remarks,
});

/**
 * Creates the schedules, and returns a line for each. Without a client, nothing is created, and the lines show what
 * would be created.
 */
export async function createImported(
  { drafts, refusals }: ImportResult,
  client: Carillon | null,
  nowAt: number,
): Promise<ImportedLine[]> {
  const taken =
    client === null ? drafts.map((draft) => previewOf(draft, nowAt)) : await create(client, drafts);
  const notTaken = refusals.map(({ source, rule, reason }): ImportedLine => {
    return { source, id: null, result: 'not taken', rule, next: null, remarks: [reason] };
  });
  return [...taken, ...notTaken].sort((a, b) => a.source.localeCompare(b.source, 'en', { numeric: true }));
}

function previewOf(draft: ImportDraft, nowAt: number): ImportedLine {
  const parsed = parseTiming(draft.schedule as Parameters<typeof parseTiming>[0], { anchorAt: nowAt });
  const [at] = parsed.ok ? nextOccurrences(parsed.timing, nowAt, 1) : [];
  return { ...lineOf(draft), result: 'ready', next: at === undefined ? null : new Date(at).toISOString() };
}

async function create(client: Carillon, drafts: readonly ImportDraft[]): Promise<ImportedLine[]> {
  const lines: ImportedLine[] = [];
  for (let from = 0; from < drafts.length; from += SCHEDULES_PER_REQUEST) {
    const chunk = drafts.slice(from, from + SCHEDULES_PER_REQUEST);
    const answer = await client.schedules.createMany(chunk.map(({ schedule }) => schedule as ScheduleInput));
    for (const [i, draft] of chunk.entries()) {
      const item = answer.items[i];
      if (!item) throw new Error('the API answered with fewer results than schedules');
      const errors = item.errors?.map(({ field, message }) => `${field}: ${message}`) ?? [];
      const line = lineOf(draft);
      lines.push({
        ...line,
        result: item.result,
        next: item.nextRunAt,
        remarks: [...line.remarks, ...errors],
      });
    }
  }
  return lines;
}
