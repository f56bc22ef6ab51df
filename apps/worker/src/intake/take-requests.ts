import { isTransientError } from '@carillon/db';
import {
  type IdleBehaviour,
  openQueue,
  QUEUES,
  REJECTED_JOB,
  type RedisClient,
  type ScheduleRejected,
} from '@carillon/queue';
import { DelayedError, type Job, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { WorkerContext } from '../context.js';
import type { Drafts } from './drafts.js';
import { QueueRequests } from './queue-requests.js';

/**
 * Maximum number of requests that a worker takes from Redis at once. It creates their schedules in groups. Further
 * requests stay in Redis.
 */
const CONCURRENT_REQUESTS = 200;
const HANDED_BACK_MS = 1_000;
const RETRY_EVERY_MS = 500;

/**
 * Takes requests from the queue `schedule-requests`. A request is done when it is committed in Postgres. While Postgres
 * is unreachable, the requests that were taken wait, and the worker takes no others. Refused requests go to
 * `schedule-rejected`.
 */
export function takeRequests(
  context: WorkerContext,
  {
    config,
    drafts,
    redis,
    producer,
    idle,
  }: {
    config: Config;
    drafts: Drafts;
    redis: RedisClient;
    producer: RedisClient;
    idle: IdleBehaviour;
  },
): { close(): Promise<void> } {
  const { metrics, log } = context;
  const prefix = config.REDIS_PREFIX;
  const stopped = new AbortController();
  const requests = new QueueRequests(context, drafts);
  const rejected = openQueue<ScheduleRejected>(QUEUES.rejected, { redis: producer, prefix });

  const take = async (job: Job, token?: string): Promise<void> => {
    const work = () => requests.handle(job.name, job.data);
    const reason = await untilBack(work, { signal: stopped.signal, log }).catch(async (error: Error) => {
      if (!isTransientError(error)) return `it could not be stored: ${error.message}`;
      // The worker is stopping while Postgres is unreachable, so the request goes back to the queue for another worker.
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
    concurrency: CONCURRENT_REQUESTS,
    lockDuration: 15_000,
    ...idle.worker,
    // The requests of a lost worker are processed again. That is harmless, because a request that is repeated with the
    // same id changes nothing.
    maxStalledCount: 100,
    removeOnComplete: { count: 1_000 },
    removeOnFail: { count: 1_000 },
  });
  worker.on('error', (error) => log.debug({ err: error }, 'Request queue error'));
  worker.on('failed', (job, error) =>
    log.error({ err: error, job: job?.id }, 'A request from the queue failed'),
  );
  return {
    async close() {
      stopped.abort();
      await worker.close();
      await rejected.close();
    },
  };
}

/**
 * Repeats the work after a transient error, such as an outage of Postgres, until the signal aborts. Throws any other
 * error at once.
 */
async function untilBack<T>(
  work: () => Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isTransientError(error)) throw error;
      log.debug({ err: error }, 'Postgres is unreachable: requests wait');
      await new Promise((resolve) => setTimeout(resolve, RETRY_EVERY_MS));
    }
  }
}
