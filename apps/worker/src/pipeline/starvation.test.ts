import { expect, it } from 'vitest';
import { Starvation } from './starvation.js';

it('a worker with enough CPU claims due runs without an extra limit', () => {
  const starvation = new Starvation(() => 50);
  expect(starvation.throttle()).toBeNull();
});

it('a worker starved of CPU claims slightly more runs than it has sent since its last claim, and always at least a few', () => {
  const starvation = new Starvation(() => 400);
  for (let sent = 0; sent < 80; sent++) starvation.noteSent();
  expect(starvation.throttle()?.limit).toBe(100);
  expect(starvation.throttle()?.limit).toBe(10);
});

it('a worker that was starved of CPU and gets enough again claims due runs without an extra limit', () => {
  let delayMs = 400;
  const starvation = new Starvation(() => delayMs);
  expect(starvation.throttle()).not.toBeNull();
  delayMs = 0;
  expect(starvation.throttle()).toBeNull();
});

it('a worker whose event loop is blocked again and again is recognised as starved of CPU', async () => {
  const starvation = new Starvation();
  const startedAt = performance.now();
  let throttle = starvation.throttle();
  while (!throttle && performance.now() - startedAt < 10_000) {
    const until = performance.now() + 500;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 0));
    throttle = starvation.throttle();
  }
  expect(throttle).not.toBeNull();
});
