import { defineHandler } from '@carillon/worker';

const sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

defineHandler('half-a-second', ({ signal }) => sleep(500, signal));
defineHandler('hang-on-first-attempt', ({ attempt, signal }) =>
  attempt === 1 ? sleep(3_600_000, signal) : undefined,
);
