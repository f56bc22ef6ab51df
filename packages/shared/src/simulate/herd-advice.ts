import { nextOccurrence } from '@carillon/recurrence';
import { dueOccurrenceOf } from '../decide-due.js';
import type { SimulatedRun, SimulatedSchedule } from './simulation.js';
import { peakOf } from './summarize.js';

/** A herd: many schedules that start in one second, and what would spread them. */
export interface HerdAdvice {
  kind: 'jitter' | 'catch_up';
  at: number;
  perSecond: number;
  /** The keys of the schedules of the herd. */
  schedules: string[];
  /** The jitter that spreads the herd; null for a herd after an outage, which no jitter can spread. */
  jitterMs: number | null;
  /** The largest number of starts in a second with `jitterMs`. */
  perSecondAfter: number | null;
}

/** The smallest number of starts in one second that counts as a herd. */
const SMALLEST_HERD = 10;
/** A jitter spreads a herd enough if at most this share of its schedules still starts in one second. */
const MAX_SHARE_PER_SECOND = 0.1;
const JITTERS_MS = [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000];

/**
 * Finds up to two herds (many schedules that start in one second): the second with the most starts on time, and the
 * second with the most starts after an outage. The effect of a jitter is computed with the jitter function of the
 * engine, not estimated.
 */
export function adviseOnHerds(
  schedules: readonly SimulatedSchedule[],
  runs: readonly SimulatedRun[],
): HerdAdvice[] {
  const byKey = new Map(schedules.map((schedule) => [schedule.key, schedule]));
  const advice: HerdAdvice[] = [];
  const onTime = runs.filter(
    ({ isCaughtUp, deferrals, wasQueued }) => !isCaughtUp && deferrals === 0 && !wasQueued,
  );
  const herd = herdOf(onTime);
  if (herd) {
    const members = herd.runs.flatMap((run) => {
      const schedule = byKey.get(run.schedule);
      return schedule ? [{ schedule, occurrenceAt: run.occurrenceAt }] : [];
    });
    advice.push({
      kind: 'jitter',
      at: herd.at,
      perSecond: herd.runs.length,
      schedules: herd.keys,
      ...spread(members),
    });
  }
  const late = herdOf(runs.filter(({ isCaughtUp, deferrals }) => isCaughtUp || deferrals > 0));
  if (late) {
    const { at, keys } = late;
    const nothing = { jitterMs: null, perSecondAfter: null };
    advice.push({ kind: 'catch_up', at, perSecond: late.runs.length, schedules: keys, ...nothing });
  }
  return advice;
}

function herdOf(runs: readonly SimulatedRun[]): { at: number; runs: SimulatedRun[]; keys: string[] } | null {
  const peak = peakOf(runs);
  if (!peak || peak.perSecond < SMALLEST_HERD) return null;
  const isInPeak = ({ startedAt }: SimulatedRun) =>
    startedAt !== null && startedAt >= peak.at && startedAt < peak.at + 1_000;
  const inPeak = runs.filter(isInPeak);
  const keys = [...new Set(inPeak.map(({ schedule }) => schedule))];
  return keys.length < 2 ? null : { at: peak.at, runs: inPeak, keys };
}

/**
 * The smallest jitter that spreads the schedules of a herd enough; if none does, the one that spreads them best. No
 * jitter is longer than half of the shortest interval of their rules.
 */
function spread(members: readonly { schedule: SimulatedSchedule; occurrenceAt: number }[]): {
  jitterMs: number | null;
  perSecondAfter: number | null;
} {
  const roomMs = Math.min(...members.map(({ schedule, occurrenceAt }) => paceOf(schedule, occurrenceAt) / 2));
  let best: { jitterMs: number; perSecondAfter: number } | null = null;
  for (const jitterMs of JITTERS_MS) {
    if (jitterMs > roomMs) break;
    const starts = members.map(({ schedule, occurrenceAt }) => ({
      schedule: schedule.key,
      startedAt: dueOccurrenceOf(schedule.key, { jitterMs }, occurrenceAt).dueAt,
    }));
    const perSecondAfter = peakOf(starts)?.perSecond ?? 0;
    if (!best || perSecondAfter < best.perSecondAfter) best = { jitterMs, perSecondAfter };
    if (perSecondAfter <= members.length * MAX_SHARE_PER_SECOND) break;
  }
  return best ?? { jitterMs: null, perSecondAfter: null };
}

const paceOf = ({ timing }: SimulatedSchedule, occurrenceAt: number) =>
  (nextOccurrence(timing, occurrenceAt) ?? Number.POSITIVE_INFINITY) - occurrenceAt;
