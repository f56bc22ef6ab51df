import { Logger, run } from 'graphile-worker';
import { GRAPHILE_SETTINGS } from '../contenders/graphile-worker.js';
import type { Job } from '../harness/tally.js';
import { endOnSignal, readOrders } from './environment.js';

const { databaseUrl, tally } = readOrders();
const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message);
});
await run({
  connectionString: databaseUrl,
  taskList: { job: (payload) => tally.mark(payload as Job) },
  preset: { worker: { ...GRAPHILE_SETTINGS, logger } },
  noHandleSignals: true,
});
endOnSignal();
tally.ready();
