import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition, which is checked at an interval; throws after a time-out. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { everyMs, withinMs, what }: { everyMs: number; withinMs: number; what: string },
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1_000} s`);
    await sleep(everyMs);
  }
}

export { sleep };
