import {
  type CreateResult,
  createSchedules,
  type Database,
  type FilledTemplate,
  type KeyOwner,
  OverLimit,
  readCalendars,
} from '@carillon/db';
import {
  type BulkResult,
  type Calendars,
  calendarsNamedBy,
  ScheduleInput,
  writeExactly,
} from '@carillon/shared';
import type { z } from 'zod';
import type { ApiContext } from '../context.js';
import { codedErrors, fieldErrors } from '../http/field-errors.js';
import { iso } from '../present/iso.js';
import { cancelledAdvice } from './cancelled-advice.js';
import { type DraftedRequest, draftRequest } from './draft-request.js';
import { resolveTemplates } from './resolve-template.js';

type Result = z.infer<typeof BulkResult>;

/** Maximum size of one item: the limit for the body of `POST /v1/schedules`. */
const MAX_ITEM_BYTES = 256 * 1_024;
/**
 * Number of rows per insert statement: enough to amortise the overhead of a statement, but so few that the next chunk
 * can be validated while Postgres writes this one.
 */
const SCHEDULES_PER_STATEMENT = 500;
/** Maximum validation time per turn of the event loop, so that other requests are not delayed. */
const MAX_TURN_MS = 10;

export interface BulkCreateResult {
  results: Result[];
  dueAts: number[];
}

/**
 * Creates many schedules, with a result for each. Postgres writes one chunk of schedules while the next chunk is
 * validated.
 */
export async function createMany(
  context: ApiContext,
  { db, caller, items }: { db: Database; caller: KeyOwner; items: readonly unknown[] },
): Promise<BulkCreateResult> {
  const results: Result[] = new Array(items.length);
  const dueAts: number[] = [];
  const filled = await resolveTemplates(db, caller, items);
  const calendars = await readCalendars(db, caller.projectId, calendarsNamedBy(items));
  let writing: Promise<void> = Promise.resolve();
  for (let from = 0; from < items.length; from += SCHEDULES_PER_STATEMENT) {
    const chunk = await validate(context, caller, filled.slice(from, from + SCHEDULES_PER_STATEMENT), {
      from,
      results,
      calendars,
    });
    await writing;
    writing = write(chunk);
    // The next `await writing` throws the error of this chunk. Until then the error must not count as an unhandled
    // rejection.
    writing.catch(() => {});
  }
  await writing;
  return { results, dueAts };

  async function write(chunk: readonly Accepted[]): Promise<void> {
    if (chunk.length === 0) return;
    const drafts = chunk.map(({ request }) => request.draft);
    const { projectId, keyName: actor, limits } = caller;
    const created = await createSchedules(db, { projectId, drafts, actor, limits });
    created.forEach((made, i) => {
      const { index, request } = chunk[i] as Accepted;
      const { key, first } = request.draft;
      const isNew = made.kind === 'created';
      if (isNew) dueAts.push(first.dueAt);
      const nextRunAt = iso(isNew ? first.dueAt : null);
      const message =
        made.kind === 'over_limit'
          ? new OverLimit(limits).message
          : made.kind === 'cancelled' && cancelledAdvice(key);
      results[index] = {
        index,
        id: key,
        result: RESULTS[made.kind],
        nextRunAt,
        ...(message ? { errors: codedErrors([{ field: 'id', message }]) } : {}),
      };
    });
  }
}

const RESULTS = {
  created: 'created',
  same: 'existing',
  conflict: 'conflict',
  cancelled: 'conflict',
  over_limit: 'over_limit',
} as const satisfies Record<CreateResult['kind'], Result['result']>;

/** The size of an item as JSON. */
function sizeOf(item: FilledTemplate): number {
  return item.ok ? Buffer.byteLength(writeExactly(item.value) ?? '') : 0;
}

interface Accepted {
  index: number;
  request: DraftedRequest;
}

/** Validates each item. Lets other requests run in between, because some rules take long to evaluate. */
async function validate(
  context: ApiContext,
  caller: KeyOwner,
  items: readonly FilledTemplate[],
  { from, results, calendars }: { from: number; results: Result[]; calendars: Calendars },
): Promise<Accepted[]> {
  const accepted: Accepted[] = [];
  let turnBeganAt = performance.now();
  for (const [i, item] of items.entries()) {
    if (performance.now() - turnBeganAt > MAX_TURN_MS) {
      await new Promise(setImmediate);
      turnBeganAt = performance.now();
    }
    const index = from + i;
    if (sizeOf(item) > MAX_ITEM_BYTES) {
      const message = `expected at most ${MAX_ITEM_BYTES} bytes, the limit of a single request`;
      const errors = codedErrors([{ field: `items.${index}`, message }]);
      results[index] = { index, id: null, nextRunAt: null, result: 'invalid', errors };
      continue;
    }
    if (!item.ok) {
      results[index] = {
        index,
        id: null,
        nextRunAt: null,
        result: 'invalid',
        errors: codedErrors([item.problem]),
      };
      continue;
    }
    const parsed = ScheduleInput.safeParse(item.value);
    const drafted = parsed.success
      ? draftRequest(context, caller, parsed.data, calendars)
      : { ok: false as const, problems: fieldErrors(parsed.error.issues, `items.${index}`) };
    const refused = { index, id: parsed.data?.id ?? null, nextRunAt: null };
    if (!drafted.ok)
      results[index] = { ...refused, result: 'invalid', errors: codedErrors(drafted.problems) };
    else accepted.push({ index, request: drafted.value });
  }
  return accepted;
}
