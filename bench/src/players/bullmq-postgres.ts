import { createPostgresBackend, Worker } from 'bullmq';
import { BULLMQ_POSTGRES_CONCURRENCY, BULLMQ_POSTGRES_QUEUE } from '../contenders/bullmq-postgres.js';
import { endOnSignal, readOrders } from './environment.js';

const { databaseUrl, tally } = readOrders();
const worker = new Worker(
  BULLMQ_POSTGRES_QUEUE,
  async (job) => tally.mark(job.data),
  {
    connection: { connectionString: databaseUrl, max: 20 },
    concurrency: BULLMQ_POSTGRES_CONCURRENCY,
    removeOnComplete: { count: 0 },
  },
  createPostgresBackend,
);
worker.on('error', (error) => console.error(error));
endOnSignal();
await worker.waitUntilReady();
tally.ready();
