import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { nextOccurrence } from './occurrences.js';
import { parseTiming } from './parse-timing.js';

const NOW = Date.UTC(2026, 0, 1);

/** Bytes that JavaScript objects and arrays hold after a garbage collection. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Evaluates a rule whose compiled form has a table of about 70 kB. No other rule has the same text. */
function evaluate(interval: number): void {
  const rule = { rrule: `DTSTART:20260101T000000Z\nRRULE:FREQ=SECONDLY;INTERVAL=${interval};BYSECOND=0` };
  const parsed = parseTiming({ rule }, { anchorAt: NOW });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  expect(nextOccurrence(parsed.timing, NOW)).not.toBeNull();
}

it('the cache of compiled rules drops old rules when they take too many bytes, although there are fewer than its number of entries', () => {
  const before = heldBytes();
  for (let interval = 7_001; interval < 8_901; interval++) evaluate(interval);
  const megabytes = (heldBytes() - before) / 1_000_000;
  expect(megabytes).toBeLessThan(64);
});
