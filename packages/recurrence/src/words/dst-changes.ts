import { localTime, timeText } from '../calendar/wall-time.js';
import { nextOccurrence, wallClockOf } from '../occurrences.js';
import type { Timing } from '../timing.js';
import { EVERY_HOUR_POLICY, type WallClockInstants } from '../zone/wall-clock.js';
import { dstRemark, gapRemark } from './dst-remark.js';

/** A clock change that affects an occurrence of a rule. */
export interface DstChange {
  kind: 'gap' | 'overlap';
  /** When the occurrence fires. If a gap skips the occurrence, this is when the clocks change. */
  at: number;
  local: string;
  fires: boolean;
  effect: string;
}

/** Maximum number of occurrences that are listed for one DST overlap. */
const MAX_PER_OVERLAP = 100;

/**
 * Lists the clock changes in [fromAt, toAt) that affect a rule. Clock changes do not affect a rule that fires in every
 * hour.
 */
export function dstChanges(timing: Timing, range: { fromAt: number; toAt: number }): DstChange[] {
  if (timing.rule.kind === 'at') return changesOfInstant(timing, range);
  const wallClock = wallClockOf(timing);
  if (!wallClock || wallClock.policy === EVERY_HOUR_POLICY) return [];
  const changes: DstChange[] = [];
  let span = wallClock.zone.spanAt(Math.floor(range.fromAt / 1000));
  while (span.toSec * 1000 < range.toAt) {
    span = wallClock.zone.spanAt(span.toSec);
    const startAt = span.fromSec * 1000;
    if (span.offset > span.offsetBefore) changes.push(...gapAt(timing, wallClock, span.fromSec));
    if (span.offset < span.offsetBefore) {
      const lengthMs = (span.offsetBefore - span.offset) * 1000;
      changes.push(...overlapBetween(timing, startAt - lengthMs, startAt + lengthMs));
    }
  }
  return changes.filter(({ at }) => at >= range.fromAt && at < range.toAt);
}

function changesOfInstant(timing: Timing, { fromAt, toAt }: { fromAt: number; toAt: number }): DstChange[] {
  const at = nextOccurrence(timing, fromAt - 1);
  const effect = at !== null && at < toAt ? dstRemark(timing, at) : null;
  if (at === null || effect === null) return [];
  const kind = effect.startsWith('clocks go forward') ? 'gap' : 'overlap';
  return [{ kind, at, local: localTime(at, timing.timezone), fires: true, effect }];
}

function gapAt(timing: Timing, wallClock: WallClockInstants, sec: number): DstChange[] {
  const skipped = wallClock.readingsSkippedAt(sec);
  if (!skipped) return [];
  const at = sec * 1000;
  const fires = wallClock.policy.gap === 'shift' && nextOccurrence(timing, at - 1) === at;
  // With `shift`, an occurrence in the gap fires at a shifted time. If it does not fire, it is excluded or out of
  // bounds, and the clock change is not the reason.
  if (wallClock.policy.gap === 'shift' && !fires) return [];
  const effect = gapRemark(skipped, fires ? timeText(wallClock.zone.readingAt(sec)) : null);
  return [{ kind: 'gap', at, local: localTime(at, timing.timezone), fires, effect }];
}

/**
 * Lists the affected occurrences of a DST overlap. Between `fromAt` and `toAt`, the local clock shows each time twice.
 */
function overlapBetween(timing: Timing, fromAt: number, toAt: number): DstChange[] {
  const changes: DstChange[] = [];
  let at = nextOccurrence(timing, fromAt - 1);
  while (at !== null && at < toAt && changes.length < MAX_PER_OVERLAP) {
    const effect = dstRemark(timing, at);
    if (effect !== null)
      changes.push({ kind: 'overlap', at, local: localTime(at, timing.timezone), fires: true, effect });
    at = nextOccurrence(timing, at);
  }
  return changes;
}
