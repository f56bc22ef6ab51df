import { once } from 'node:events';
import { defineHandler } from '@carillon/worker/define';

const sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** Ends half a second after the process gets SIGTERM. */
defineHandler('ends-while-stopping', async ({ signal }) => {
  await once(process, 'SIGTERM', { signal });
  await sleep(500, signal);
});
defineHandler('hang-on-first-attempt', ({ attempt, signal }) =>
  attempt === 1 ? sleep(3_600_000, signal) : undefined,
);
