import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { nextOccurrence } from './occurrences.js';
import { parseTiming } from './parse-timing.js';

const NOW = Date.UTC(2026, 0, 1);

/**
 * The least number of bytes that JavaScript objects and arrays hold after several garbage collections. One is not
 * enough, because V8 frees the memory of arrays in the background.
 */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let leastBytes = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10; round++) {
    collect();
    await new Promise(setImmediate);
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    leastBytes = Math.min(leastBytes, heapUsed + arrayBuffers);
  }
  return leastBytes;
}

/** Evaluates a rule whose compiled form has a table of about 70 kB. No other rule has the same text. */
function evaluate(interval: number): void {
  const rule = { rrule: `DTSTART:20260101T000000Z\nRRULE:FREQ=SECONDLY;INTERVAL=${interval};BYSECOND=0` };
  const parsed = parseTiming({ rule }, { anchorAt: NOW });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  expect(nextOccurrence(parsed.timing, NOW)).not.toBeNull();
}

it('the cache of compiled rules drops old rules that take too many bytes, even below its maximum number of entries', async () => {
  const before = await heldBytes();
  for (let interval = 7_001; interval < 8_901; interval++) evaluate(interval);
  const megabytes = ((await heldBytes()) - before) / 1_000_000;
  expect(megabytes).toBeLessThan(80);
});
