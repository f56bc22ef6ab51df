import { Worker } from 'bullmq';
import { BULLMQ_CONCURRENCY, BULLMQ_QUEUE } from '../contenders/bullmq.js';
import type { Job } from '../harness/tally.js';
import { endOnSignal, readOrders } from './environment.js';

const { redisUrl, tally } = readOrders();
const worker = new Worker<Job>(BULLMQ_QUEUE, async (job) => tally.mark(job.data), {
  connection: { url: redisUrl, maxRetriesPerRequest: null },
  concurrency: BULLMQ_CONCURRENCY,
  removeOnComplete: { count: 0 },
});
worker.on('error', (error) => console.error(error));
endOnSignal();
await worker.waitUntilReady();
tally.ready();
