import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repeatEvery } from './repeat-every.js';

// Time passes only when a test advances it, however busy the machine is.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a worker loop waits for its interval between two calls, and never runs two calls at once', async () => {
  const endings: (() => void)[] = [];
  const work = vi.fn(() => new Promise<void>((resolve) => endings.push(resolve)));
  const loop = repeatEvery(100, work, () => {});
  await vi.advanceTimersByTimeAsync(350);
  expect(work).toHaveBeenCalledTimes(1);
  endings[0]?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(work).toHaveBeenCalledTimes(2);
  endings[1]?.();
  await loop.stop();
});

it('a worker loop reports an error of its work and continues', async () => {
  const errors: unknown[] = [];
  const loop = repeatEvery(
    100,
    () => Promise.reject('broken'),
    (error) => errors.push(error),
  );
  await vi.advanceTimersByTimeAsync(250);
  expect(errors).toEqual(['broken', 'broken']);
  await loop.stop();
});

it('a worker loop that is stopped ends as soon as the work in progress is done, without waiting for its interval', async () => {
  let end = () => {};
  const loop = repeatEvery(
    100,
    () => new Promise<void>((resolve) => (end = resolve)),
    () => {},
  );
  await vi.advanceTimersByTimeAsync(100);
  const hasStopped = vi.fn();
  void loop.stop().then(hasStopped);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(hasStopped).not.toHaveBeenCalled();
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(hasStopped).toHaveBeenCalledOnce();
});
