import { expect, it } from 'vitest';
import { waitAtMost } from './wait-at-most.js';

it('waitAtMost waits for a promise that settles before the deadline, even if it rejects', async () => {
  let isDone = false;
  const work = new Promise((resolve) => setImmediate(resolve)).then(() => {
    isDone = true;
  });
  await waitAtMost(60_000, work);
  expect(isDone).toBe(true);
  await expect(waitAtMost(60_000, Promise.reject(new Error('failed')))).resolves.toBeUndefined();
});

it('waitAtMost stops waiting at the deadline for a promise that never settles', async () => {
  await expect(waitAtMost(1, new Promise(() => {}))).resolves.toBeUndefined();
});
