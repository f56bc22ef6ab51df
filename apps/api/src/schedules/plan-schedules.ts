import { type KeyOwner, readSchedule, type ScheduleView } from '@carillon/db';
import {
  ChosenKey,
  diffDefinitions,
  type FieldChange,
  isSameTiming,
  nextOccurrences,
  type PlannedSchedule,
  parseExactly,
  REDACTED,
  ScheduleRequest,
  type Timing,
} from '@carillon/shared';
import type { ApiContext } from '../context.js';
import { fieldErrors } from '../http/field-errors.js';
import { HttpProblem } from '../http/problem.js';
import { presentDefinition } from '../present/definition.js';
import { iso } from '../present/iso.js';
import { type DraftedPut, draftPut, type PutBody } from './draft-put.js';

/** Number of occurrences that are shown of each definition. */
const OCCURRENCES_SHOWN = 5;

const PlannedRequest = ScheduleRequest.extend({ id: ChosenKey });

type Draft = DraftedPut['drafted']['draft'];

/** Says what a PUT of each schedule would change. Saves nothing. */
export async function planSchedules(
  context: ApiContext,
  caller: KeyOwner,
  items: readonly unknown[],
): Promise<PlannedSchedule[]> {
  const planned: PlannedSchedule[] = [];
  for (const [index, item] of items.entries()) {
    const parsed = PlannedRequest.safeParse(item);
    planned.push(
      parsed.success
        ? await planOne(context, caller, { index, request: parsed.data })
        : {
            ...NOT_PLANNED,
            index,
            id: idOf(item),
            errors: fieldErrors(parsed.error.issues, `items.${index}`),
          },
    );
  }
  return planned;
}

const NOT_PLANNED = {
  action: 'invalid' as const,
  version: null,
  status: null,
  tags: null,
  changes: [],
  next: null,
  nextBefore: null,
  warnings: [],
};

function idOf(item: unknown): string | null {
  const { id } = (item ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : null;
}

async function planOne(
  context: ApiContext,
  caller: KeyOwner,
  { index, request }: { index: number; request: PutBody },
): Promise<PlannedSchedule> {
  const { pool } = context;
  const { id } = request;
  const before = await readSchedule(pool, caller.projectId, id);
  const standing = before && { version: before.version, status: before.status, tags: before.tags };
  try {
    const put = await draftPut(context, pool, { caller, request }, before);
    return { ...NOT_PLANNED, ...standing, index, id, ...comparisonOf(put, before, context.clock.now()) };
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status >= 500) throw error;
    return { ...NOT_PLANNED, ...standing, index, id, errors: error.errors };
  }
}

function comparisonOf(
  { drafted: { draft, warnings }, isSame, sealedSecret }: DraftedPut,
  before: ScheduleView | null,
  nowAt: number,
): Pick<PlannedSchedule, 'action' | 'changes' | 'next' | 'nextBefore' | 'warnings'> {
  const nextOf = (timing: Timing) =>
    nextOccurrences(timing, Math.floor(nowAt), OCCURRENCES_SHOWN).map((at) => iso(at));
  if (!before)
    return { action: 'create', changes: [], next: nextOf(draft.timing), nextBefore: null, warnings };
  if (isSame) return { action: 'keep', changes: [], next: null, nextBefore: null, warnings };
  const isCancelled = before.status === 'cancelled';
  const isMoved = isCancelled || !isSameTiming(before.timing, draft.timing);
  return {
    action: isCancelled ? 'restore' : 'change',
    changes: [...shownChanges(before, draft), ...hiddenChanges(before, draft, sealedSecret)],
    next: isMoved ? nextOf(draft.timing) : null,
    nextBefore: isMoved && !isCancelled ? nextOf(before.timing) : null,
    warnings,
  };
}

const shownChanges = (before: ScheduleView, draft: Draft): FieldChange[] =>
  diffDefinitions(
    { ...presentDefinition(before), payload: payloadOf(before.payloadText) },
    { ...presentDefinition(draft), payload: payloadOf(draft.payload) },
  );

const payloadOf = (text: string | null) => (text === null ? null : parseExactly(text));

/**
 * The changes of headers and secrets. Their values are never shown, so a comparison of the definitions as they are
 * shown would miss these changes.
 */
function hiddenChanges(
  before: ScheduleView,
  draft: Draft,
  sealedSecret: Buffer | null | undefined,
): FieldChange[] {
  const [stored, next] = [before.plan.target, draft.plan.target];
  const headers =
    stored.type === 'webhook' && next.type === 'webhook'
      ? Object.keys(next.headers).filter(
          (name) => name in stored.headers && stored.headers[name] !== next.headers[name],
        )
      : [];
  const changes = headers.map((name) => ({
    field: `target.headers.${name}`,
    before: REDACTED,
    after: ANOTHER_VALUE,
  }));
  if (sealedSecret === undefined) return changes;
  const was = before.plan.hasSecret ? REDACTED : null;
  const willBe = sealedSecret === null ? null : was === null ? REDACTED : ANOTHER_VALUE;
  return [...changes, { field: 'secret', before: was, after: willBe }];
}

const ANOTHER_VALUE = `${REDACTED} (another value)`;
