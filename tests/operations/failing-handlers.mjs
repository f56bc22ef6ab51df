import { defineHandler } from '@carillon/worker/define';
import { z } from 'zod';

/** Throws an error as some libraries do: its fields hold the data on which the work failed. */
function fail({ payload }) {
  const cause = Object.assign(new Error('the printer is off'), { request: { body: payload } });
  throw Object.assign(new Error('out of paper', { cause }), { payload });
}

defineHandler('throws', fail);
defineHandler('throws-isolated', fail, { isolate: true });
defineHandler({ name: 'refuses-payload', schema: z.object({ text: z.literal('other') }), run: () => {} });
defineHandler('logs-error', (run) => {
  try {
    fail(run);
  } catch (error) {
    run.log.warn({ err: error }, 'The handler logs an error');
  }
});
