import { defineHandler } from '@carillon/worker/define';
import { z } from 'zod';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A handler without a defect. It takes long enough to be in flight while a bad handler does harm, and short enough to
 * end before a stopping worker hands its unfinished runs back.
 */
defineHandler('innocent', () => sleep(800));

defineHandler('floating-rejection', () => {
  void Promise.reject(new Error('floating rejection'));
});
defineHandler('throw-in-timer', async () => {
  setTimeout(() => {
    throw new Error('throw in a timer');
  }, 1);
  await sleep(100);
});
defineHandler('exit', () => process.exit(0));

function block(ms) {
  const until = Date.now() + ms;
  while (Date.now() < until);
}

function exhaustMemory() {
  const kept = [];
  while (true) kept.push(new Array(1_000_000).fill(kept.length));
}

defineHandler({
  name: 'isolated-typed',
  isolate: true,
  schema: z.object({ at: z.iso.datetime().transform((text) => new Date(text)) }),
  run: ({ payload, progress }) => progress({ isDate: payload.at instanceof Date }),
});

/** The next three handlers block their event loop for longer than a lease. */
defineHandler('block', () => block(4_000));
defineHandler('isolated-block', () => block(4_000), { isolate: true });
defineHandler('isolated-block-for-ever', () => block(3_600_000), { isolate: true });
defineHandler('isolated-exit', () => process.exit(3), { isolate: true });
defineHandler('isolated-exhaust-memory', exhaustMemory, { isolate: true });
defineHandler(
  'isolated',
  ({ payload, progress, attempt }) => {
    progress({ payload, attempt });
    if (payload.fails) throw new Error('out of paper');
    return { echoed: payload };
  },
  { isolate: true },
);
