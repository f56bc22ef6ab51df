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

/** Listens from the start, because the signal may come between the claim of a run and the call of its handler. */
const stopping = once(process, 'SIGTERM');

/** Ends shortly after the process gets SIGTERM. */
defineHandler('ends-while-stopping', async ({ signal }) => {
  await stopping;
  await sleep(100, signal);
});
defineHandler('hang-on-first-attempt', ({ attempt, signal }) =>
  attempt === 1 ? sleep(3_600_000, signal) : undefined,
);
