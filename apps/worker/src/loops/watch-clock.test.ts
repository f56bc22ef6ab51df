import { expect, it } from 'vitest';
import { watchClock } from './watch-clock.js';

it('a worker warns once when its clock becomes more than a second off, and logs once when the clock is right again', () => {
  const lines: string[] = [];
  const log = { warn: () => lines.push('warn'), info: () => lines.push('info') };
  const clock = { offsetMs: 0 };
  const look = watchClock(clock, log as never);
  for (const offsetMs of [0, 1_000, 1_001, 90_000, -2_000, 900, -900, -1_001]) {
    clock.offsetMs = offsetMs;
    look();
  }
  expect(lines).toEqual(['warn', 'info', 'warn']);
});
