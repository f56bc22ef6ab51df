import { isTransientError } from '@carillon/db';
import { openQueue, QUEUES, REJECTED_JOB, type ScheduleRejected } from '@carillon/queue';
import { DelayedError, type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../config.js';
import type { WorkerContext } from '../context.js';
import { Requests } from './requests.js';
import { untilBack } from './until-back.js';

/** So many requests are in hand at once, and created together; the rest stay in Redis. */
const AT_ONCE = 200;
const HANDED_BACK_MS = 1_000;

/**
 * Takes what others put into the queue `schedule-requests`. A request is done once it is in Postgres; while Postgres is
 * away those in hand wait, and no further ones are taken. What is refused goes to `schedule-rejected`.
 */
export function takeRequests(
  context: WorkerContext,
  { config, redis, producer }: { config: Config; redis: Redis; producer: Redis },
): { close(): Promise<void> } {
  const { metrics, log } = context;
  const prefix = config.REDIS_PREFIX;
  const stopped = new AbortController();
  const requests = new Requests(context, config);
  const rejected = openQueue<ScheduleRejected>(QUEUES.rejected, { redis: producer, prefix });

  const take = async (job: Job, token?: string): Promise<void> => {
    const work = () => requests.handle(job.name, job.data);
    const reason = await untilBack(work, { signal: stopped.signal, log }).catch(async (error: Error) => {
      if (!isTransientError(error)) return `it could not be kept: ${error.message}`;
      // This worker stops while Postgres is away: the request goes back, for another one to take.
      await job.moveToDelayed(Date.now() + HANDED_BACK_MS, token);
      throw new DelayedError();
    });
    if (reason === null) return;
    metrics.count('carillon_requests_rejected_total');
    const jobId = `rejected-${String(job.id).replaceAll(':', '_')}`;
    await rejected.add(REJECTED_JOB, { name: job.name, data: job.data, reason }, { jobId });
  };

  const worker = new Worker(QUEUES.requests, take, {
    connection: redis,
    prefix,
    concurrency: AT_ONCE,
    lockDuration: 15_000,
    stalledInterval: 5_000,
    // A worker that is lost with requests in hand loses none: they are taken again, and their id makes that harmless.
    maxStalledCount: 100,
    removeOnComplete: { count: 1_000 },
    removeOnFail: { count: 1_000 },
  });
  worker.on('error', (error) => log.debug({ err: error }, 'Requests'));
  worker.on('failed', (job, error) => log.error({ err: error, job: job?.id }, 'A request failed'));
  return {
    async close() {
      stopped.abort();
      await worker.close();
      await rejected.close();
    },
  };
}
