import type { PostgresWatch } from '@carillon/db';
import { type IdleBehaviour, openQueue, QUEUES, type RedisClient, TICKS, type Tick } from '@carillon/queue';
import { type Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';

/**
 * Carillon's own jobs (ticks). Each job goes to one worker. BullMQ's job schedulers repeat all ticks except `events`
 * and `alerts`, which a process adds when there is work for them.
 */
export class Ticks {
  readonly #queue: Queue;
  readonly #worker: Worker;

  constructor(
    private readonly options: {
      producer: RedisClient;
      redis: RedisClient;
      prefix: string;
      idle: IdleBehaviour;
      sweepIntervalMs: number;
      /**
       * The cron pattern, in UTC, at which a worker looks for tasks that are due within a day and sends their
       * reminders.
       */
      taskScanCron: string;
      /**
       * How often the occurrences of all schedules are compared with the runs that exist (the audit); null for never.
       */
      auditIntervalMs: number | null;
      log: Logger;
      postgres: PostgresWatch;
      work: Record<Tick, () => Promise<unknown>>;
    },
  ) {
    const { producer, redis, prefix, idle, work, log, postgres } = options;
    this.#queue = openQueue(QUEUES.ticks, { redis: producer, prefix });
    this.#worker = new Worker(
      QUEUES.ticks,
      async (job) => {
        await work[job.name as keyof typeof work]?.();
      },
      {
        connection: redis,
        prefix,
        // All ticks can run at once, so that a scan of a thousand tasks does not delay the sweep.
        concurrency: Object.keys(TICKS).length,
        lockDuration: 15_000,
        ...idle.worker,
      },
    );
    this.#worker.on('error', (error) => log.debug({ err: error }, 'Tick queue error'));
    this.#worker.on('failed', (job, error) =>
      postgres.report(error, 'Periodic job failed; it runs again at its next interval', { tick: job?.name }),
    );
  }

  /** Creates the job schedulers. Called again after Redis has lost them. */
  async ensure(): Promise<void> {
    const opts = { removeOnComplete: true, removeOnFail: true };
    const { sweepIntervalMs, taskScanCron, auditIntervalMs } = this.options;
    await this.#queue.upsertJobScheduler(
      TICKS.sweep,
      { every: sweepIntervalMs },
      { name: TICKS.sweep, opts },
    );
    await this.#queue.upsertJobScheduler(TICKS.prune, { every: 3_600_000 }, { name: TICKS.prune, opts });
    await this.#queue.upsertJobScheduler(TICKS.calendars, { every: 60_000 }, { name: TICKS.calendars, opts });
    await this.#queue.upsertJobScheduler(TICKS.forecasts, { every: 60_000 }, { name: TICKS.forecasts, opts });
    await this.#queue.upsertJobScheduler(
      TICKS.tasks,
      { pattern: taskScanCron, tz: 'UTC' },
      { name: TICKS.tasks, opts },
    );
    if (auditIntervalMs === null) await this.#queue.removeJobScheduler(TICKS.audit);
    else
      await this.#queue.upsertJobScheduler(
        TICKS.audit,
        { every: auditIntervalMs },
        { name: TICKS.audit, opts },
      );
  }

  /** True if Redis has the job scheduler of the sweep. It is lost if Redis was emptied. */
  async isSweepKnown(): Promise<boolean> {
    return (await this.#queue.getJobScheduler(TICKS.sweep)) !== undefined;
  }

  async close(): Promise<void> {
    await this.#worker.close();
    await this.#queue.close();
  }
}
