import { setTimeout as sleep } from 'node:timers/promises';
import { defineHandler } from '@carillon/worker/define';

defineHandler('neighbour', () => sleep(100));

/**
 * Logs its start and takes half a second. A worker runs only one such run at a time; its other runs wait in memory for
 * their turn.
 */
defineHandler(
  'in-turn',
  async ({ log }) => {
    log.info('in-turn has begun');
    await sleep(500);
  },
  { concurrency: 1 },
);

/** Handlers that harm the process in which they run, by name. */
const POISONS = {
  block({ forMs }) {
    const endAt = performance.now() + forMs;
    while (performance.now() < endAt);
  },
  throwInTimer() {
    setTimeout(() => {
      throw new Error('thrown in a timer');
    }, 10);
  },
  rejectUnheard() {
    void Promise.reject(new Error('a rejection that nothing handles'));
  },
};

defineHandler('poison', ({ payload }) => POISONS[payload.poison](payload));
