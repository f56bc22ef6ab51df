import { expect, it } from 'vitest';
import { waitAtMost } from './wait-at-most.js';

it('within() waits for a step that ends before the deadline, even if the step fails', async () => {
  let isDone = false;
  const work = new Promise((resolve) => setImmediate(resolve)).then(() => {
    isDone = true;
  });
  await waitAtMost(60_000, work);
  expect(isDone).toBe(true);
  await expect(waitAtMost(60_000, Promise.reject(new Error('failed')))).resolves.toBeUndefined();
});

it('within() stops waiting at the deadline for a step that never ends', async () => {
  await expect(waitAtMost(1, new Promise(() => {}))).resolves.toBeUndefined();
});
