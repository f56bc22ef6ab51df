import {
  type BreachKind,
  describeBreach,
  describeRecovery,
  hasEnded,
  instantInWords,
  type Judgement,
  judgeSlo,
  type Plan,
  type RunCounts,
  readPlan,
  type Slo,
  type WatchedRun,
} from '@carillon/shared';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';
import { arrayOf } from '../statement.js';
import { insertAlert, type OpenAlert, readOpenAlerts, resolveAlert } from './alert-transitions.js';
import {
  lockWatches,
  MAX_RUNS,
  pendingOf,
  readCounts,
  readWatchedRuns,
  type SloWatch,
} from './read-watches.js';
import { dropWatches, type MovedWatch, moveWatches } from './watches.js';

/**
 * When a run fails, the worker requests a check of the schedule's objectives at once. If that request is lost, a check
 * after this time finds the failure.
 */
const FALLBACK_MS = 300_000;
/**
 * The objectives of a schedule with an open alert are checked again after this time, because a success rate can recover
 * as time passes.
 */
const OPEN_ALERT_MS = 60_000;
export interface JudgedWatches {
  judged: number;
  opened: number;
  resolved: number;
}

/**
 * Checks the objectives of schedules whose next check is due, at most `limit` of them, and opens and resolves alerts.
 * Concurrent calls take different schedules, because each call skips the rows that another has locked.
 */
export function judgeWatches(
  pool: Pool,
  { limit, now }: { limit: number; now: number | null },
): Promise<JudgedWatches> {
  return inTransaction(pool, async (tx) => {
    const result: JudgedWatches = { judged: 0, opened: 0, resolved: 0 };
    const watches = await lockWatches(tx, { limit, now });
    if (watches.length === 0) return result;
    const scheduleIds = arrayOf(watches.map(({ scheduleId }) => scheduleId));
    const runs = await readWatchedRuns(tx, { scheduleIds, now });
    const open = await readOpenAlerts(tx, { scheduleIds });
    const moved: MovedWatch[] = [];
    const ended: number[] = [];
    for (const watch of watches) {
      const { scheduleId } = watch;
      const openAlerts = open.filter((alert) => alert.scheduleId === scheduleId);
      const slo = sloOfWatch(watch);
      if (slo === null) {
        await endWatch(tx, watch, openAlerts);
        result.resolved += openAlerts.length;
        ended.push(scheduleId);
        continue;
      }
      const own = runs.filter((run) => run.scheduleId === scheduleId);
      const { next, opened, resolved } = await judgeWatch(tx, { watch, slo, runs: own, openAlerts });
      moved.push(next);
      result.opened += opened;
      result.resolved += resolved;
    }
    await moveWatches(tx, moved);
    await dropWatches(tx, ended);
    return { ...result, judged: watches.length };
  });
}

/** The objectives of the schedule. Null if it has none, or if it was cancelled or removed. */
function sloOfWatch({ plan, status }: SloWatch): Slo | null {
  return plan === null || status === 'cancelled' ? null : (readPlan(plan) as Plan).slo;
}

async function endWatch(tx: Transaction, watch: SloWatch, open: readonly OpenAlert[]): Promise<void> {
  const why =
    watch.plan === null
      ? 'the schedule was removed'
      : watch.status === 'cancelled'
        ? 'the schedule was cancelled'
        : 'the schedule no longer has this objective';
  for (const alert of open) await closeAlert(tx, alert, watch.nowAt, why);
}

const closeAlert = (tx: Transaction, { id }: OpenAlert, at: number, why: string) =>
  resolveAlert(tx, { id, at, now: at, resolution: `No longer watched since ${instantInWords(at)}: ${why}.` });

interface Judged {
  watch: SloWatch;
  slo: Slo;
  runs: WatchedRun[];
  openAlerts: OpenAlert[];
}

async function judgeWatch(tx: Transaction, { watch, slo, runs, openAlerts }: Judged) {
  const { scheduleId, nowAt, judgedUntil } = watch;
  const counts = slo.successRate ? await readCounts(tx, watch, slo.successRate) : null;
  const isCut = runs.length >= MAX_RUNS;
  const pending = isCut ? null : pendingOf(watch);
  const all = pending ? [...runs, pending] : runs;
  const isPaused = watch.status === 'paused';
  const judgement = judgeSlo({ slo, nowAt, isPaused, judgedUntil, runs: all, counts });
  const changes = await applyVerdicts(tx, { watch, slo, counts, judgement, openAlerts });
  const lastReadAt = runs.at(-1)?.occurrenceAt ?? judgedUntil;
  const next: MovedWatch = {
    scheduleId,
    hasOpenAlert: changes.hasOpen,
    // If the read reached its limit, the next check begins after the last run that was read. If it began at the
    // earliest open run instead, it could read the same runs again and never reach later ones.
    judgedUntil: isCut ? Math.min(lastReadAt, nowAt) : judgement.judgedUntil,
    checkAt: isCut ? nowAt : nextCheckOf({ watch, judgement, runs, hasOpen: changes.hasOpen }),
  };
  return { next, ...changes };
}

/**
 * Opens an alert for each objective that is newly missed, and resolves the alert of each objective that is met again or
 * was removed.
 */
async function applyVerdicts(
  tx: Transaction,
  {
    watch,
    slo,
    counts,
    judgement,
    openAlerts,
  }: Omit<Judged, 'runs'> & { counts: RunCounts | null; judgement: Judgement },
): Promise<{ opened: number; resolved: number; hasOpen: boolean }> {
  const { scheduleId, projectId, nowAt } = watch;
  const schedule = { key: watch.key ?? '', name: watch.name };
  const open = new Map<BreachKind, OpenAlert>(openAlerts.map((alert) => [alert.kind, alert]));
  let opened = 0;
  let resolved = 0;
  for (const { kind, isBreached, at, occurrenceAt, run } of judgement.verdicts) {
    const alert = open.get(kind);
    if (isBreached && !alert) {
      const sentence = describeBreach({ schedule, kind, slo, at, run, counts });
      const row = { projectId, scheduleId, scheduleKey: schedule.key, scheduleName: schedule.name };
      const id = await insertAlert(tx, { ...row, kind, occurrenceAt, sentence, at, now: nowAt });
      if (id === null) continue;
      open.set(kind, { id, scheduleId, kind, occurrenceAt });
      opened++;
    } else if (!isBreached && alert && (run === null || occurrenceAt >= alert.occurrenceAt)) {
      const resolution = describeRecovery({ kind, run, at });
      await resolveAlert(tx, { id: alert.id, at, now: nowAt, resolution });
      open.delete(kind);
      resolved++;
    }
  }
  for (const [kind, alert] of open) {
    if (hasObjective(slo, kind)) continue;
    await closeAlert(tx, alert, nowAt, 'the schedule no longer has this objective');
    open.delete(kind);
    resolved++;
  }
  return { opened, resolved, hasOpen: open.size > 0 };
}

function hasObjective(slo: Slo, kind: BreachKind): boolean {
  const objectives = {
    start: slo.startWithinMs,
    end: slo.endWithinMs,
    duration: slo.maxDurationMs,
    success_rate: slo.successRate,
  };
  return objectives[kind] !== null;
}

function nextCheckOf({
  watch,
  judgement,
  runs,
  hasOpen,
}: {
  watch: SloWatch;
  judgement: Judgement;
  runs: readonly WatchedRun[];
  hasOpen: boolean;
}): number {
  const { nowAt, pendingDueAt, status } = watch;
  const times = [judgement.nextCheckAt ?? Number.POSITIVE_INFINITY];
  if (status === 'active' && pendingDueAt !== null) times.push(Math.max(nowAt, pendingDueAt) + FALLBACK_MS);
  if (runs.some((run) => !hasEnded(run))) times.push(nowAt + FALLBACK_MS);
  if (hasOpen) times.push(nowAt + OPEN_ALERT_MS);
  return Math.min(...times);
}
