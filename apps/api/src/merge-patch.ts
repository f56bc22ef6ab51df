import type { Edit, KeyOwner, LockedSchedule, ScheduleView } from '@carillon/db';
import {
  type Calendars,
  draftPlan,
  draftSchedule,
  labelsOf,
  type Moment,
  momentAfter,
  momentOf,
  type Problem,
  type ScheduleInput,
  type SchedulePatch,
} from '@carillon/shared';
import type { ApiContext } from './context.js';
import { defaultsFor } from './draft-request.js';
import { presentDefinition } from './present/definition.js';
import { invalid } from './problem.js';
import { sealSecret } from './seal-secret.js';

export interface MergedPatch {
  edit: Edit;
  warnings: string[];
}

interface Held {
  view: ScheduleView;
  locked: LockedSchedule;
  caller: KeyOwner;
  context: Pick<ApiContext, 'defaults' | 'secrets'>;
  calendars: Calendars;
}

/** What holds with what was given put in its place, and when it is due next. Worked out under the row lock. */
export function mergePatch(patch: SchedulePatch, held: Held): MergedPatch {
  const { view, locked, caller, context } = held;
  const input = mergedInput(view, patch);
  const isRetimed = TIMING_FIELDS.some((field) => patch[field] !== undefined);
  const defined = isRetimed ? retimed(input, patch, held) : replanned(input, { view, caller, context });
  if (!defined.ok) throw invalid(defined.problems);
  const sealed = sealSecret(context.secrets, caller, patch.secret);
  if (!sealed.ok) throw invalid(sealed.problems);
  const secret = sealed.value === undefined ? {} : { sealedSecret: sealed.value };
  const made = { ...defined.made, ...labelsOf(input), payload: payloadOf(view, patch), ...secret };
  return {
    edit: { ...made, next: nextUnder(made, { locked, isRetimed, isNewRule: patch.rule !== undefined }) },
    warnings: defined.warnings,
  };
}

const TIMING_FIELDS = ['rule', 'timezone', 'startAt', 'endAt', 'dst', 'leapDay', 'exclusions'] as const;

type Defined =
  | { ok: true; made: Pick<Edit, 'rule' | 'timing' | 'plan'>; warnings: string[] }
  | { ok: false; problems: Problem[] };

function retimed(
  input: ScheduleInput,
  patch: SchedulePatch,
  { locked, caller, context, calendars }: Held,
): Defined {
  const result = draftSchedule(input, {
    key: locked.key,
    // What counts from the moment of making goes on counting from there, unless the rule is another one.
    nowAt: patch.rule === undefined ? locked.timing.anchorAt || locked.nowAt : locked.nowAt,
    defaults: defaultsFor(caller, context.defaults),
    calendars,
  });
  if (!result.ok) return result;
  const { rule, timing, plan, warnings } = result.drafted;
  return { ok: true, made: { rule, timing, plan }, warnings };
}

/** The rule stays as it is, also where it has run out and would not be taken any more. */
function replanned(
  input: ScheduleInput,
  { view, caller, context }: Pick<Held, 'view' | 'caller' | 'context'>,
): Defined {
  const result = draftPlan(input, defaultsFor(caller, context.defaults));
  if (!result.ok) return result;
  return { ok: true, made: { rule: view.rule, timing: view.timing, plan: result.plan }, warnings: [] };
}

function mergedInput(view: ScheduleView, patch: SchedulePatch): ScheduleInput {
  const { payload: _, ...held } = presentDefinition(view);
  // `in` has become an instant; counted from now, it would be another.
  const rule =
    'in' in held.rule && view.timing.rule.kind === 'at' ? { at: iso(view.timing.rule.at) } : held.rule;
  return {
    ...held,
    ...patch,
    rule: patch.rule ?? rule,
    dst: { ...held.dst, ...patch.dst },
    misfire: { ...held.misfire, ...patch.misfire },
    retry: { ...held.retry, ...patch.retry },
  };
}

const iso = (at: number) => new Date(at).toISOString();

function payloadOf(view: ScheduleView, patch: SchedulePatch): string | null {
  const payload = patch.payload === undefined ? view.payload : patch.payload;
  return payload === null ? null : JSON.stringify(payload);
}

/** When it is due next. What had fallen due before is the edit's own affair: it is accounted for in the same transaction. */
function nextUnder(
  made: Pick<Edit, 'timing' | 'plan'>,
  { locked, isRetimed, isNewRule }: { locked: LockedSchedule; isRetimed: boolean; isNewRule: boolean },
): Moment | null {
  const { occurrenceAt, dueAt, nowAt, key } = locked;
  const { maxRuns } = made.plan;
  if (maxRuns !== null && locked.runsTotal >= maxRuns) return null;
  const afterNow = () => momentAfter({ key, ...made }, nowAt);
  if (!isRetimed) {
    if (occurrenceAt !== null && dueAt !== null)
      return withJitter({ occurrenceAt, dueAt }, { locked, plan: made.plan });
    // It has finished. Only where that was for want of runs, and there are more now, does it go on.
    const wasAtLimit = locked.plan.maxRuns !== null && locked.runsTotal >= locked.plan.maxRuns;
    return wasAtLimit ? afterNow() : null;
  }
  const { rule } = made.timing;
  const next = rule.kind === 'at' && isNewRule ? momentOf(key, made.plan, rule.at) : afterNow();
  if (!next) throw invalid([{ field: 'rule', message: 'this never fires any more; DELETE ends a schedule' }]);
  return next;
}

/** Another jitter moves what comes next, except where somebody has put it elsewhere by hand. */
function withJitter(held: Moment, { locked, plan }: { locked: LockedSchedule; plan: Edit['plan'] }): Moment {
  const isWhereTheRulePutIt = held.dueAt === momentOf(locked.key, locked.plan, held.occurrenceAt).dueAt;
  return isWhereTheRulePutIt ? momentOf(locked.key, plan, held.occurrenceAt) : held;
}
