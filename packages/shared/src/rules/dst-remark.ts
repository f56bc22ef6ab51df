import { readingOfText } from './instant-text.js';
import { wallClockOf } from './occurrences.js';
import type { Timing } from './timing.js';
import { passAt } from './wall-clock.js';
import { timeText } from './wall-time.js';
import { zoneNamed } from './zone.js';

/** What a change of clocks did to an occurrence, in words; null for nearly all of them. */
export function dstRemark(timing: Timing, at: number): string | null {
  if (timing.rule.kind === 'at') return wallTimeRemark(timing, at);
  const wallClock = wallClockOf(timing);
  if (!wallClock) return null;
  const sec = Math.floor(at / 1000);
  const missing = wallClock.policy.gap === 'shift' ? wallClock.readingsLostAt(sec) : null;
  if (missing) return gapRemark(missing, timeText(wallClock.zone.readingAt(sec)));
  const pass = passAt(wallClock.zone, sec);
  return pass === null ? null : overlapRemark(wallClock.zone.readingAt(sec), wallClock.policy.overlap, pass);
}

function wallTimeRemark({ rule, timezone, dst }: Timing, at: number): string | null {
  if (rule.kind !== 'at' || rule.wallTime === null) return null;
  const zone = zoneNamed(timezone);
  const sec = Math.floor(at / 1000);
  const reading = zone.readingAt(sec);
  const wanted = readingOfText(rule.wallTime);
  if (wanted !== null && wanted !== reading)
    return gapRemark({ first: wanted, last: wanted }, timeText(reading));
  const pass = passAt(zone, sec);
  return pass === null ? null : overlapRemark(reading, dst.overlap === 'both' ? 'first' : dst.overlap, pass);
}

/** `firesAt` is null where what a gap swallowed does not fire. */
export function gapRemark(missing: { first: number; last: number }, firesAt: string | null): string {
  const { first, last } = missing;
  const readings =
    first === last
      ? `${timeText(first)} does not exist`
      : `${timeText(first)} to ${timeText(last)} do not exist`;
  return `clocks go forward: ${readings}, ${firesAt === null ? 'nothing fires' : `fires at ${firesAt}`}`;
}

function overlapRemark(
  reading: number,
  policy: 'first' | 'second' | 'both',
  pass: 'first' | 'second',
): string {
  const fires = policy === 'both' ? `fires both times, this is the ${pass}` : `fires at the ${policy}`;
  return `clocks go back: ${timeText(reading)} happens twice, ${fires}`;
}
