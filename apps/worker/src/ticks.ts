import { openQueue, QUEUES, TICKS, type Tick } from '@carillon/queue';
import { type Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** The fixed ticks that BullMQ repeats for us, whichever worker gets them. */
export class Ticks {
  readonly #queue: Queue;
  readonly #worker: Worker;

  constructor(
    private readonly options: {
      producer: Redis;
      redis: Redis;
      prefix: string;
      sweepIntervalMs: number;
      /** When to look for tasks that are due soon, in UTC. */
      taskScanCron: string;
      log: Logger;
      work: Record<Tick, () => Promise<unknown>>;
    },
  ) {
    const { producer, redis, prefix, work, log } = options;
    this.#queue = openQueue(QUEUES.ticks, { redis: producer, prefix });
    this.#worker = new Worker(
      QUEUES.ticks,
      async (job) => {
        await work[job.name as keyof typeof work]?.();
      },
      {
        connection: redis,
        prefix,
        // A scan of a thousand tasks must not hold up the sweep.
        concurrency: Object.keys(TICKS).length,
        lockDuration: 15_000,
        stalledInterval: 5_000,
      },
    );
    this.#worker.on('error', (error) => log.debug({ err: error }, 'Ticks'));
    this.#worker.on('failed', (job, error) => log.error({ err: error, tick: job?.name }, 'Tick failed'));
  }

  /** Makes the repeating jobs, anew where Redis has lost them. */
  async ensure(): Promise<void> {
    const gone = { removeOnComplete: true, removeOnFail: true };
    const { sweepIntervalMs, taskScanCron } = this.options;
    await this.#queue.upsertJobScheduler(
      TICKS.sweep,
      { every: sweepIntervalMs },
      { name: TICKS.sweep, opts: gone },
    );
    await this.#queue.upsertJobScheduler(
      TICKS.prune,
      { every: 3_600_000 },
      { name: TICKS.prune, opts: gone },
    );
    await this.#queue.upsertJobScheduler(
      TICKS.tasks,
      { pattern: taskScanCron, tz: 'UTC' },
      { name: TICKS.tasks, opts: gone },
    );
  }

  /** Whether Redis still knows the sweep. It may have been emptied, and all our jobs with it. */
  async isSweepKnown(): Promise<boolean> {
    return (await this.#queue.getJobScheduler(TICKS.sweep)) !== undefined;
  }

  async close(): Promise<void> {
    await this.#worker.close();
    await this.#queue.close();
  }
}
