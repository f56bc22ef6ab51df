import { readingOfText } from '../calendar/instant-text.js';
import { timeText } from '../calendar/wall-time.js';
import { wallClockOf } from '../occurrences.js';
import type { Timing } from '../timing.js';
import { overlapSideAt } from '../zone/wall-clock.js';
import { zoneNamed } from '../zone/zone.js';

/**
 * Says how a DST change affects an occurrence. Returns null if it does not, which is true of nearly all occurrences.
 */
export function dstRemark(timing: Timing, at: number): string | null {
  if (timing.rule.kind === 'at') return wallTimeRemark(timing, at);
  const wallClock = wallClockOf(timing);
  if (!wallClock) return null;
  const sec = Math.floor(at / 1000);
  const skipped = wallClock.policy.gap === 'shift' ? wallClock.readingsSkippedAt(sec) : null;
  if (skipped) return gapRemark(skipped, timeText(wallClock.zone.readingAt(sec)));
  const side = overlapSideAt(wallClock.zone, sec);
  return side === null ? null : overlapRemark(wallClock.zone.readingAt(sec), wallClock.policy.overlap, side);
}

function wallTimeRemark({ rule, timezone, dst }: Timing, at: number): string | null {
  if (rule.kind !== 'at' || rule.wallTime === null) return null;
  const zone = zoneNamed(timezone);
  const sec = Math.floor(at / 1000);
  const reading = zone.readingAt(sec);
  const wanted = readingOfText(rule.wallTime);
  if (wanted !== null && wanted !== reading)
    return gapRemark({ first: wanted, last: wanted }, timeText(reading));
  const side = overlapSideAt(zone, sec);
  return side === null ? null : overlapRemark(reading, dst.overlap === 'both' ? 'first' : dst.overlap, side);
}

/**
 * Says which local times a DST gap leaves out, and when they fire instead. `firesAt` is null if the DST policy skips
 * them.
 */
export function gapRemark(skipped: { first: number; last: number }, firesAt: string | null): string {
  const { first, last } = skipped;
  const times =
    first === last
      ? `${timeText(first)} does not exist`
      : `${timeText(first)} to ${timeText(last)} do not exist`;
  return `clocks go forward: ${times}, ${firesAt === null ? 'nothing fires' : `fires at ${firesAt}`}`;
}

function overlapRemark(
  reading: number,
  policy: 'first' | 'second' | 'both',
  side: 'first' | 'second',
): string {
  const fires = policy === 'both' ? `fires both times, this is the ${side}` : `fires at the ${policy}`;
  return `clocks go back: ${timeText(reading)} happens twice, ${fires}`;
}
