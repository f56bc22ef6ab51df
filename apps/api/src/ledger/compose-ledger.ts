import type { Gap, HeldDefinition, RunView, ScheduleChange, ScheduleView } from '@carillon/db';
import {
  changeStep,
  encodeRunId,
  explainRun,
  explainWithoutRun,
  inOrder,
  isInLostTime,
  isZoned,
  type LedgerEntry,
  localTime,
  namedStep,
  namesOccurrence,
  occurrenceRemark,
  restoredStep,
  type StoryStep,
  step,
  storyOfRun,
  type TzdataPeriod,
} from '@carillon/shared';
import type { z } from 'zod';
import { iso } from '../present/iso.js';
import { presentStory } from '../present/story.js';
import type { RunSteps } from './read-steps.js';
import { ruleOccurrences } from './rule-occurrences.js';

type Entry = z.infer<typeof LedgerEntry>;

export interface LedgerSources {
  schedule: ScheduleView;
  definitions: readonly HeldDefinition[];
  /** The runs in the range, earliest occurrence first. */
  runs: readonly RunView[];
  gaps: readonly Gap[];
  /** The attempts and deferrals of the runs, and the changes of single runs. */
  steps: RunSteps;
  /** The changes of the schedule, oldest first. */
  changes: readonly ScheduleChange[];
  /** The versions of the time zone data that were in use, oldest first. */
  tzdata: readonly TzdataPeriod[];
  /** The handlers of all live workers; null if no worker is alive. */
  liveHandlers: ReadonlySet<string> | null;
  nowAt: number;
}

/** An entry and its place in the order of the ledger. */
export interface PlacedEntry {
  at: number;
  entry: Entry;
}

/** A stretch of time that the ledger describes. */
export interface LedgerStretch {
  fromAt: number;
  toAt: number;
  /**
   * True if the stretch is the earliest one of the range that was asked for. A gap that began before the stretch is
   * listed at its start then. Otherwise an earlier stretch lists this gap, so that several pages list it once.
   */
  isEarliest: boolean;
}

/**
 * Yields the entries of a stretch in order: one for each occurrence of the rule, and one for each other run, such as a
 * run that was started by hand. The occurrences of a gap (a stretch that did not run for one reason) share one entry,
 * whose place is the first occurrence of the gap.
 */
export function* composeLedger(
  sources: LedgerSources,
  { isEarliest, ...range }: LedgerStretch,
): Generator<PlacedEntry> {
  const { definitions, runs, gaps } = sources;
  const recorded = [
    ...runs.map((run) => ({ at: run.occurrenceAt, compose: () => entryOfRun(run, sources) })),
    ...gaps
      .filter(({ fromAt }) => isEarliest || fromAt >= range.fromAt)
      .map((gap) => ({ at: Math.max(gap.fromAt, range.fromAt), compose: () => entryOfGap(gap, sources) })),
  ].sort((a, b) => a.at - b.at);
  let next = 0;
  function* recordedUpTo(untilAt: number): Generator<PlacedEntry> {
    for (; next < recorded.length; next++) {
      const { at, compose } = recorded[next] as (typeof recorded)[number];
      if (at > untilAt) return;
      yield { at, entry: compose() };
    }
  }
  const ranAt = new Set(runs.filter(({ origin }) => origin === 'rule').map((run) => run.occurrenceAt));
  const walk = ruleOccurrences(definitions, range);
  let step = walk.next();
  while (!step.done) {
    const { at, definition } = step.value;
    yield* recordedUpTo(at);
    const gap = gaps.find(({ fromAt, toAt }) => fromAt <= at && at <= toAt);
    if (!gap && !ranAt.has(at)) yield { at, entry: entryWithoutRun({ at, definition }, sources) };
    step = walk.next(gap?.toAt);
  }
  yield* recordedUpTo(range.toAt);
}

function entryOfRun(run: RunView, sources: LedgerSources): Entry {
  const { definitions, schedule, steps, changes, liveHandlers, nowAt } = sources;
  const definition = definitions.find(({ version }) => version === run.version);
  const tzdata = tzdataOf(definition, sources);
  const own = steps.of(run);
  const story = storyOfRun({ run, ...own, changes: [...changes, ...own.changes], tzdata, nowAt });
  const at = run.occurrenceAt;
  return {
    at: iso(at),
    local: localTime(at, (definition ?? schedule).timing.timezone),
    until: null,
    count: 1,
    origin: run.origin,
    status: run.status,
    why: explainRun(run, story, { plan: definition?.plan ?? null, liveHandlers }),
    story: presentStory(story),
    runId: encodeRunId(run),
    version: run.version,
    remark: definition && run.origin === 'rule' ? occurrenceRemark(definition.timing, at) : null,
  };
}

/** The versions of the time zone data that were in use; none if the definition does not depend on a time zone. */
const tzdataOf = (definition: HeldDefinition | undefined, { tzdata }: LedgerSources) =>
  definition && isZoned(definition.timing) ? tzdata : [];

function entryOfGap(gap: Gap, { definitions, schedule, changes }: LedgerSources): Entry {
  const { fromAt, toAt, count, reason, reasonCode, version, createdAt } = gap;
  const { timing } = definitions.find((definition) => definition.version === version) ?? schedule;
  const restore = changes.findLast(
    (change) =>
      change.action === 'installation.restored' &&
      isInLostTime(change, { fromAt, toAt, recordedAt: createdAt }),
  );
  return {
    at: iso(fromAt),
    local: localTime(fromAt, timing.timezone),
    until: iso(toAt),
    count,
    origin: 'rule',
    status: 'skipped',
    why: `skipped: ${reason}`,
    story: presentStory([
      step('named', fromAt, `named by version ${version} of the rule, the first of ${count}`, { version }),
      ...(restore ? [restoredStep(restore)] : []),
      step('skipped', createdAt, `skipped: ${reason}`, { reasonCode, count }),
    ]),
    runId: null,
    version,
    remark: null,
  };
}

function entryWithoutRun(
  { at, definition }: { at: number; definition: HeldDefinition },
  sources: LedgerSources,
): Entry {
  return {
    at: iso(at),
    local: localTime(at, definition.timing.timezone),
    until: null,
    count: 1,
    origin: 'rule',
    ...explainWithoutRun(at, sources),
    story: presentStory(storyWithoutRun({ at, definition }, sources)),
    runId: null,
    version: definition.version,
    remark: occurrenceRemark(definition.timing, at),
  };
}

/**
 * The steps that the ledger shows for an occurrence without a run. The first step says which version of the rule yields
 * the occurrence. The others say whether it was rescheduled, held by a pause, or cancelled with its schedule.
 */
function storyWithoutRun(
  { at, definition }: { at: number; definition: HeldDefinition },
  sources: LedgerSources,
): StoryStep[] {
  const { schedule, changes, nowAt } = sources;
  const { version } = definition;
  const isNext = schedule.occurrenceAt === at;
  const pause = changes.findLast(({ action }) => action === 'schedule.paused');
  const tzdata = tzdataOf(definition, sources);
  const steps = [namedStep({ at, version, changes, tzdata, pendingUntilAt: Math.min(at, nowAt) })];
  if (isNext && schedule.nextRunAt !== null) steps.push(step('due', schedule.nextRunAt, 'due'));
  for (const change of changes) {
    const { action } = change;
    const isMove =
      action === 'schedule.rescheduled' && namesOccurrence(change, { origin: 'rule', occurrenceAt: at });
    const isPause = change === pause && schedule.status === 'paused';
    const isCancel = action === 'schedule.cancelled' && change.at <= Math.min(at, nowAt);
    if (isMove || isPause || isCancel) steps.push(changeStep(change));
  }
  return inOrder(steps);
}
