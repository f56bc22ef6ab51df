import { setTimeout as sleep } from 'node:timers/promises';

/** Checks a condition at an interval until it is true. Throws after a time-out. */
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
