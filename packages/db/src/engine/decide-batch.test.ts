import { readPlan, readTiming } from '@carillon/shared';
import { expect, it } from 'vitest';
import type { DueRow } from './claim.js';
import { decideBatch } from './decide-batch.js';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const plan = readPlan('{"target":{"type":"handler","name":"noop"}}');

/** A due schedule. Its rule takes some milliseconds to compile, and no other schedule has the same rule. */
function dueRow(count: number): DueRow {
  const rrule = `DTSTART:20150101T090000\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1;COUNT=${count}`;
  const timing = readTiming(JSON.stringify({ rule: { kind: 'rrule', rrule } }));
  const dueAt = NOW - 5;
  return { id: count, key: `k${count}`, timing, plan, occurrenceAt: dueAt, dueAt, runsTotal: 0 } as DueRow;
}
const dueRows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => dueRow(from + index));

/** Counts how often other work of the process gets its turn until the promise settles. */
async function countTurns(until: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise(setImmediate);
    turns++;
  }
  return turns;
}

it('while a claim computes the next occurrences of 100 schedules whose rules are not cached, other work gets its turn', async () => {
  const beganAt = performance.now();
  const deciding = decideBatch(dueRows(3_000, 3_100), NOW);
  const turns = await countTurns(deciding);
  const tookMs = performance.now() - beganAt;
  expect(await deciding).toHaveLength(100);
  expect(tookMs).toBeGreaterThan(100);
  expect(turns).toBeGreaterThan(4);
});
