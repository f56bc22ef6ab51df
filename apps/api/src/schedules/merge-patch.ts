import type { Definition, KeyOwner, ScheduleView } from '@carillon/db';
import {
  type Calendars,
  defaultLeapDay,
  draftPlan,
  draftSchedule,
  isSameTiming,
  labelsOf,
  nextAfterEdit,
  type Problem,
  type ScheduleInput,
  type SchedulePatch,
  writeExactly,
} from '@carillon/shared';
import type { ApiContext } from '../context.js';
import { invalid } from '../http/problem.js';
import { presentDefinition } from '../present/definition.js';
import { iso } from '../present/iso.js';
import { defaultsFor } from './draft-request.js';
import { sealSecret } from './seal-secret.js';
import { withStoredHeaders } from './validate-recipient.js';

export interface MergedPatch {
  definition: Definition;
  warnings: string[];
}

interface Base {
  /** The schedule as it was read. */
  view: ScheduleView;
  caller: KeyOwner;
  context: Pick<ApiContext, 'defaults' | 'secrets'>;
  /** The calendars that the schedule or the patch names. */
  calendars: Calendars;
  nowAt: number;
}

/** Merges a patch into the definition of a schedule and validates the result. Fields that the patch leaves out stay. */
export function mergePatch(patch: SchedulePatch, base: Base): MergedPatch {
  const { view, caller, context } = base;
  const input = mergedInput(view, patch);
  const isRetimed = TIMING_FIELDS.some((field) => patch[field] !== undefined);
  const drafted = isRetimed ? retimed(input, patch, base) : replanned(input, base);
  if (!drafted.ok) throw invalid(drafted.problems);
  const { warnings, ...timed } = drafted.value;
  refuseIfNeverDue(timed, base);
  const sealed = sealSecret(context.secrets, caller, patch.secret);
  if (!sealed.ok) throw invalid(sealed.problems);
  const secret = sealed.value === undefined ? {} : { sealedSecret: sealed.value };
  return {
    definition: { ...timed, ...labelsOf(input), payload: payloadOf(view, patch), ...secret },
    warnings,
  };
}

const TIMING_FIELDS = [
  'rule',
  'timezone',
  'startAt',
  'endAt',
  'dst',
  'leapDay',
  'exclusions',
  'calendars',
  'onExcluded',
  'businessDays',
] as const;

type Timed = Pick<Definition, 'rule' | 'timing' | 'plan'>;
type Drafted = { ok: true; value: Timed & { warnings: string[] } } | { ok: false; problems: Problem[] };

function retimed(
  input: ScheduleInput,
  patch: SchedulePatch,
  { view, caller, context, calendars, nowAt }: Base,
): Drafted {
  const result = draftSchedule(input, {
    key: view.key,
    // Unless the rule is replaced, an interval keeps the instant from which it counts (its anchor).
    nowAt: patch.rule === undefined ? view.timing.anchorAt || nowAt : nowAt,
    defaults: defaultsFor(caller, context),
    calendars,
  });
  if (!result.ok) return result;
  const { rule, timing, plan, warnings } = result.drafted;
  return { ok: true, value: { rule, timing, plan, warnings } };
}

/**
 * Merges only the plan (target and policies), and keeps the timing without validating it. A rule without further
 * occurrences would be refused, although its schedule may still be renamed.
 */
function replanned(input: ScheduleInput, { view, caller, context }: Base): Drafted {
  const result = draftPlan(input, defaultsFor(caller, context));
  if (!result.ok) return result;
  return { ok: true, value: { rule: view.rule, timing: view.timing, plan: result.plan, warnings: [] } };
}

function refuseIfNeverDue({ timing, plan }: Timed, { view, nowAt }: Base): void {
  // An edit may leave a schedule without further occurrences in two cases: the schedule has used up maxRuns, or the
  // edit does not change the timing.
  const hasRunsLeft = plan.maxRuns === null || view.runsTotal < plan.maxRuns;
  if (!hasRunsLeft || isSameTiming(timing, view.timing)) return;
  if (nextAfterEdit({ ...view, dueAt: view.nextRunAt, nowAt }, { timing, plan }) !== null) return;
  throw invalid([{ field: 'rule', message: 'this rule never fires again; use DELETE to end a schedule' }]);
}

function mergedInput(view: ScheduleView, patch: SchedulePatch): ScheduleInput {
  const before = presentDefinition(view);
  // The rule `in` was resolved to an instant when the schedule was created. Resolving it again would move that instant.
  const rule =
    'in' in before.rule && view.timing.rule.kind === 'at' ? { at: iso(view.timing.rule.at) } : before.rule;
  return {
    ...before,
    leapDay: keptLeapDay(view, patch),
    ...patch,
    ...mergedExclusions(view, patch),
    target: patch.target ? withStoredHeaders(patch.target, view.plan.target) : view.plan.target,
    rule: patch.rule ?? rule,
    dst: { ...before.dst, ...patch.dst },
    misfire: { ...before.misfire, ...patch.misfire },
    retry: { ...before.retry, ...patch.retry },
  };
}

/**
 * Merges exclusions. `exclusions` lists dates and calendars, `calendars` only calendars. So a patch of `exclusions`
 * replaces both, and a patch of `calendars` leaves the dates as they are.
 */
function mergedExclusions(
  { timing }: ScheduleView,
  { exclusions, calendars }: SchedulePatch,
): Pick<ScheduleInput, 'exclusions' | 'calendars'> {
  if (exclusions !== undefined) return { exclusions, calendars: calendars ?? [] };
  return { exclusions: timing.exclusions, calendars: calendars ?? Object.keys(timing.calendars) };
}

/**
 * The leap day policy that the schedule keeps. If the patch has a new rule, a policy that is the default of the old
 * rule is not kept, because each kind of rule has its own default.
 */
function keptLeapDay({ timing }: ScheduleView, patch: SchedulePatch): ScheduleInput['leapDay'] {
  const isDefault = timing.leapDay === defaultLeapDay(timing.rule.kind);
  return patch.rule !== undefined && isDefault ? undefined : timing.leapDay;
}

function payloadOf({ payloadText }: ScheduleView, { payload }: SchedulePatch): string | null {
  if (payload === undefined) return payloadText;
  return payload === null ? null : writeExactly(payload);
}
