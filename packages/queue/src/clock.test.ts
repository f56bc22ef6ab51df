import { expect, it } from 'vitest';
import { PostgresClock } from './clock.js';

/** A machine whose clock can be set, and a Postgres that keeps its own time. */
function twoClocks() {
  let elapsedMs = 0;
  let aheadMs = 0;
  const clock = new PostgresClock(() => 1_000_000 + elapsedMs + aheadMs);
  return {
    clock,
    set: (ms: number) => {
      aheadMs = ms;
    },
    ask: (roundTripMs: number) =>
      clock.ask(async () => {
        elapsedMs += roundTripMs;
        return { nowAt: 1_000_000 + elapsedMs - roundTripMs / 2 };
      }),
  };
}

it('the time of Postgres is estimated from the sample with the shortest round trip', async () => {
  const { clock, ask } = twoClocks();
  await ask(2);
  await clock.ask(async () => ({ nowAt: clock.now() + 20 })); // The sample with the shortest round trip, 0 ms.
  await ask(40);
  expect(clock.offsetMs).toBe(-20);
});

it('after the local clock was changed, the estimate of Postgres’s time is right again with the next sample', async () => {
  const { clock, set, ask } = twoClocks();
  for (let asked = 0; asked < 8; asked++) await ask(2);
  set(-90_000);
  await ask(30);
  expect(clock.offsetMs).toBe(-90_000);
});

it('the error of the estimated Postgres time is half of the shortest round trip, rounded up', async () => {
  let localAt = 0;
  const clock = new PostgresClock(() => localAt);
  const askWith = (roundTripMs: number) =>
    clock.ask(async () => {
      localAt += roundTripMs;
      return { nowAt: localAt };
    });
  expect(clock.errorMs).toBe(0);
  await askWith(99);
  expect(clock.errorMs).toBe(50);
  await askWith(4);
  expect(clock.errorMs).toBe(2);
});
