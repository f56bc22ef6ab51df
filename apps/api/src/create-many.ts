import {
  createSchedules,
  type Database,
  type Filled,
  type KeyOwner,
  OverLimit,
  readCalendars,
} from '@carillon/db';
import { type BulkResult, type Calendars, calendarsNamedBy, ScheduleInput } from '@carillon/shared';
import type { z } from 'zod';
import type { ApiContext } from './context.js';
import { type DraftedRequest, draftRequest } from './draft-request.js';
import { fieldProblems } from './field-problems.js';
import { withRules } from './with-rule.js';

type Result = z.infer<typeof BulkResult>;

/** Rows per statement: enough to make its overhead small, few enough to validate the next ones meanwhile. */
const CHUNK = 500;

export interface CreatedMany {
  results: Result[];
  dueAts: number[];
}

/** Creates many schedules, each judged by itself. While Postgres writes one chunk, the next is validated. */
export async function createMany(
  context: ApiContext,
  { db, caller, items }: { db: Database; caller: KeyOwner; items: readonly unknown[] },
): Promise<CreatedMany> {
  const results: Result[] = new Array(items.length);
  const dueAts: number[] = [];
  const filled = await withRules(db, caller, items);
  const calendars = await readCalendars(db, caller.projectId, calendarsNamedBy(items));
  let writing: Promise<void> = Promise.resolve();
  for (let from = 0; from < items.length; from += CHUNK) {
    const chunk = judge(context, caller, filled.slice(from, from + CHUNK), { from, results, calendars });
    await writing;
    writing = write(chunk);
    // An error of this chunk is met at the next `await`; until then it must not count as unhandled.
    writing.catch(() => {});
  }
  await writing;
  return { results, dueAts };

  async function write(chunk: readonly Judged[]): Promise<void> {
    if (chunk.length === 0) return;
    const drafts = chunk.map(({ request }) => request.draft);
    const { projectId, keyName: actor, limits } = caller;
    const created = await createSchedules(db, { projectId, drafts, actor, limits });
    created.forEach((made, i) => {
      const { index, request } = chunk[i] as Judged;
      const { key, first } = request.draft;
      const isNew = made.kind === 'created';
      if (isNew) dueAts.push(first.dueAt);
      const nextRunAt = isNew ? new Date(first.dueAt).toISOString() : null;
      const result = {
        index,
        id: key,
        result: made.kind === 'same' ? 'existing' : made.kind,
        nextRunAt,
      } as const;
      const errors = [{ field: 'id', message: new OverLimit(limits).message }];
      results[index] = made.kind === 'over_limit' ? { ...result, errors } : result;
    });
  }
}

interface Judged {
  index: number;
  request: DraftedRequest;
}

function judge(
  context: ApiContext,
  caller: KeyOwner,
  items: readonly Filled[],
  { from, results, calendars }: { from: number; results: Result[]; calendars: Calendars },
): Judged[] {
  const accepted: Judged[] = [];
  items.forEach((item, i) => {
    const index = from + i;
    if (!item.ok) {
      results[index] = { index, id: null, nextRunAt: null, result: 'invalid', errors: [item.problem] };
      return;
    }
    const parsed = ScheduleInput.safeParse(item.value);
    const drafted = parsed.success
      ? draftRequest(context, caller, parsed.data, calendars)
      : { ok: false as const, problems: fieldProblems(parsed.error.issues, `items.${index}`) };
    const refused = { index, id: parsed.data?.id ?? null, nextRunAt: null };
    if (!drafted.ok) results[index] = { ...refused, result: 'invalid', errors: drafted.problems };
    else accepted.push({ index, request: drafted.value });
  });
  return accepted;
}
