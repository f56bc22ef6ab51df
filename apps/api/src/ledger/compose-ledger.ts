import type { Definition, Gap, RunView, ScheduleView } from '@carillon/db';
import { dstRemark, type LedgerEntry, localTime } from '@carillon/shared';
import type { z } from 'zod';
import { runIdOf } from '../present/run.js';
import { named } from './named.js';
import { whyOf } from './why.js';

type Entry = z.infer<typeof LedgerEntry>;

export interface LedgerSources {
  schedule: ScheduleView;
  definitions: readonly Definition[];
  /** Of the range, earliest occurrence first. */
  runs: readonly RunView[];
  gaps: readonly Gap[];
  cancellation: { at: number; actor: string } | null;
  nowAt: number;
}

/** Each occurrence that the rule named from `fromAt` to `toAt`, and every other run of that time, in order. */
export function* composeLedger(
  sources: LedgerSources,
  range: { fromAt: number; toAt: number },
): Generator<Entry> {
  const { definitions, runs, gaps } = sources;
  let next = 0;
  const runsUpTo = (at: number) => {
    const from = next;
    while (next < runs.length && occurrenceOf(runs[next]) <= at) next++;
    return runs.slice(from, next);
  };
  const walk = named(definitions, range);
  let step = walk.next();
  while (!step.done) {
    const { at, definition } = step.value;
    const found = runsUpTo(at);
    const isRun = found.some((run) => run.origin === 'rule' && occurrenceOf(run) === at);
    const gap = isRun ? undefined : gaps.find(({ fromAt, toAt }) => fromAt <= at && at <= toAt);
    for (const run of found) yield entryOfRun(run, sources);
    if (gap) yield entryOfGap(gap, definition);
    else if (!isRun) yield entryWithoutRun({ at, definition }, sources);
    step = walk.next(gap?.toAt);
  }
  for (const run of runsUpTo(range.toAt)) yield entryOfRun(run, sources);
}

const occurrenceOf = (run: RunView | undefined) => run?.occurrenceAt.getTime() ?? Number.POSITIVE_INFINITY;

function entryOfRun(run: RunView, { definitions, schedule }: LedgerSources): Entry {
  const definition = definitions.find(({ version }) => version === run.version);
  const at = run.occurrenceAt.getTime();
  return {
    at: run.occurrenceAt.toISOString(),
    local: localTime(at, (definition ?? schedule).timing.timezone),
    until: null,
    count: 1,
    origin: run.origin,
    status: run.status,
    why: whyOf(run, definition?.plan ?? null),
    runId: runIdOf(run),
    version: run.version,
    remark: definition && run.origin === 'rule' ? dstRemark(definition.timing, at) : null,
  };
}

function entryOfGap({ fromAt, toAt, count, reason, version }: Gap, { timing }: Definition): Entry {
  return {
    at: new Date(fromAt).toISOString(),
    local: localTime(fromAt, timing.timezone),
    until: new Date(toAt).toISOString(),
    count,
    origin: 'rule',
    status: 'skipped',
    why: `skipped: ${reason}`,
    runId: null,
    version,
    remark: null,
  };
}

function entryWithoutRun(
  { at, definition }: { at: number; definition: Definition },
  sources: LedgerSources,
): Entry {
  return {
    at: new Date(at).toISOString(),
    local: localTime(at, definition.timing.timezone),
    until: null,
    count: 1,
    origin: 'rule',
    ...standing(at, sources),
    runId: null,
    version: definition.version,
    remark: dstRemark(definition.timing, at),
  };
}

/** How an occurrence stands that no run and no gap accounts for. */
function standing(
  at: number,
  { schedule, cancellation, nowAt }: LedgerSources,
): Pick<Entry, 'status' | 'why'> {
  const { status, occurrenceAt, pausedBy, pausedAt, pauseNote, plan, runsTotal } = schedule;
  if (status === 'cancelled' && cancellation && at >= cancellation.at) {
    const when = new Date(cancellation.at).toISOString();
    return {
      status: 'cancelled',
      why: `cancelled: the schedule was cancelled by ${cancellation.actor} at ${when}`,
    };
  }
  const isPending = occurrenceAt !== null && at >= occurrenceAt.getTime();
  if (status === 'finished' || (status !== 'cancelled' && !isPending && at > nowAt)) {
    const limit = plan.maxRuns === null ? '' : `: it has had its ${runsTotal} runs`;
    return { status: 'skipped', why: `not run, the schedule is finished${limit}` };
  }
  if (isPending && status === 'paused') {
    const since = pausedAt === null ? '' : ` at ${pausedAt.toISOString()}`;
    const note = pauseNote ? `, note: ${pauseNote}` : '';
    return { status: 'paused', why: `held: paused by ${pausedBy ?? 'somebody'}${since}${note}` };
  }
  if (isPending && at > nowAt) return { status: 'upcoming', why: 'still to come' };
  if (isPending) return { status: 'due', why: 'due, and not claimed yet' };
  return { status: 'unknown', why: 'nothing is recorded any more: history is kept for a limited time' };
}
