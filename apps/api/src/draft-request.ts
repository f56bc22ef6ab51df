import { randomUUID } from 'node:crypto';
import { type Draft, type KeyOwner, requestHashOf, type ScheduleView } from '@carillon/db';
import { type Calendars, draftSchedule, type Problem, type ScheduleInput } from '@carillon/shared';
import type { ApiContext } from './context.js';
import { sealSecret } from './seal-secret.js';

export interface DraftedRequest {
  draft: Draft;
  warnings: string[];
}

/** Turns a request for a schedule into a row that is ready to be written, or says what is wrong with it. */
export function draftRequest(
  { clock, defaults, secrets }: Pick<ApiContext, 'clock' | 'defaults' | 'secrets'>,
  caller: KeyOwner,
  input: ScheduleInput,
  calendars: Calendars,
): { ok: true; value: DraftedRequest } | { ok: false; problems: Problem[] } {
  const key = input.id ?? `sch_${randomUUID().replaceAll('-', '')}`;
  const result = draftSchedule(input, {
    key,
    nowAt: Math.floor(clock.now()),
    defaults: defaultsFor(caller, defaults),
    calendars,
  });
  if (!result.ok) return result;
  const sealed = sealSecret(secrets, caller, input.secret);
  if (!sealed.ok) return sealed;
  // Each by its name, here and in `draftSchedule`: in bulk, copying the rest of an object is an eighth of all the work.
  const { name, tags, rule, timing, plan, first, warnings } = result.drafted;
  const draft = {
    key,
    name,
    tags,
    rule,
    timing,
    plan,
    first,
    payload: input.payload === undefined ? null : JSON.stringify(input.payload),
    requestHash: requestHashOf(input),
    sealedSecret: sealed.value ?? null,
  };
  return { ok: true, value: { draft, warnings } };
}

/** Where no target is named, the project's is used. */
export function defaultsFor(
  { defaultTarget }: KeyOwner,
  defaults: ApiContext['defaults'],
): ApiContext['defaults'] {
  return defaultTarget === null ? defaults : { ...defaults, target: defaultTarget };
}

/** What a draft has become, without asking for it again. */
export function viewOf(
  { draft }: DraftedRequest,
  { id, createdAt }: { id: number; createdAt: Date },
): ScheduleView {
  return {
    ...draft,
    id,
    payload: draft.payload === null ? null : JSON.parse(draft.payload),
    status: 'active',
    version: 1,
    nextRunAt: new Date(draft.first.dueAt),
    occurrenceAt: new Date(draft.first.occurrenceAt),
    lastRunAt: null,
    lastEnqueuedAt: null,
    runsTotal: 0,
    pausedAt: null,
    pausedUntil: null,
    pausedBy: null,
    pauseNote: null,
    createdAt,
    updatedAt: createdAt,
  };
}
