import { DUE_JOB, openQueue, type PostgresClock, type RedisClient, type ScheduleDue } from '@carillon/queue';
import { encodeRunId, type Outcome } from '@carillon/shared';
import type { BulkJobOptions, Queue } from 'bullmq';
import type { Flight } from '../../pipeline/in-flight.js';

interface Waiting {
  flight: Flight;
  job: { name: string; data: ScheduleDue; opts: BulkJobOptions };
  /** The length of the job's payload. */
  bytes: number;
  resolve: (outcome: Outcome) => void;
  reject: (reason: unknown) => void;
}

interface OpenQueue {
  queue: Queue;
  waiting: Waiting[];
}

/** Maximum number of jobs that one call to Redis adds; fewer if they are large. */
const MAX_BULK_ADD = 500;
const MAX_BULK_BYTES = 4 * 1_024 * 1_024;
/**
 * Approximate maximum of payload bytes that the completed jobs of a queue take in Redis. The failed jobs may take as
 * much again.
 */
const MAX_KEPT_BYTES = 64 * 1_024 * 1_024;
/**
 * Maximum payload bytes that may wait in one queue, so that a queue without a consumer does not fill Redis. A run
 * beyond this limit fails and is retried.
 */
const MAX_WAITING_BYTES = 256 * 1_024 * 1_024;
/**
 * The limit on waiting bytes is checked only if the jobs to add have at least this size on average, because the check
 * costs a call to Redis. Smaller jobs exceed the limit only if more than 16,000 of them wait in the queue.
 */
const LARGE_JOB_BYTES = 16 * 1_024;
const MAX_KEPT_JOBS = 10_000;
const MAX_OPEN_QUEUES = 200;

/**
 * How long the jobs of a queue are kept after they end, and how many: the larger the jobs, the fewer. A completed job
 * is kept so that its id stays known. If a worker adds a job and is lost before it closes the run, the run is added
 * again, and BullMQ ignores the second job because of its id.
 */
function retentionOf(bytes: number): BulkJobOptions {
  const count = Math.max(10, Math.min(MAX_KEPT_JOBS, Math.floor(MAX_KEPT_BYTES / Math.max(1, bytes))));
  return { removeOnComplete: { age: 3_600, count }, removeOnFail: { age: 7 * 86_400, count } };
}

/** Delivers runs to BullMQ queues of other programs. Runs that were claimed together are added together. */
export class DueQueues {
  readonly #open = new Map<string, OpenQueue>();

  constructor(
    private readonly options: {
      redis: RedisClient;
      prefix: string;
      clock: PostgresClock;
      /** Payload bytes that may wait in one queue (default 256 MiB). */
      maxWaitingBytes?: number;
    },
  ) {}

  readonly deliver = async (flight: Flight): Promise<Outcome> => {
    const { run, projectKey } = flight;
    const { target } = run.plan;
    if (target.type !== 'queue') throw new Error('not a queue');
    return new Promise((resolve, reject) => {
      const { waiting } = this.#queueOf(target.queue);
      if (waiting.length === 0) setImmediate(() => this.#flush(target.queue));
      waiting.push({
        flight,
        job: this.#jobOf(run, projectKey),
        bytes: run.payload?.length ?? 0,
        resolve,
        reject,
      });
    });
  };

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ queue }) => queue.close()));
  }

  #jobOf(run: Flight['run'], projectKey: string): Waiting['job'] {
    const runId = encodeRunId(run);
    return {
      name: DUE_JOB,
      data: {
        id: run.scheduleKey,
        projectId: projectKey,
        runId,
        occurrenceAt: new Date(run.occurrenceAt).toISOString(),
        firedAt: new Date(this.options.clock.now()).toISOString(),
        payload: run.payload === null ? null : JSON.parse(run.payload),
      },
      // A replay must be processed again. Redis may still hold the first job, so the new job gets another id.
      opts: {
        ...retentionOf(run.payload?.length ?? 0),
        jobId: run.replays === 0 ? runId : `${runId}-r${run.replays}`,
      },
    };
  }

  #queueOf(name: string): OpenQueue {
    const known = this.#open.get(name);
    if (known) return known;
    this.#closeOldest();
    const opened = { queue: openQueue(name, this.options), waiting: [] };
    this.#open.set(name, opened);
    return opened;
  }

  #closeOldest(): void {
    if (this.#open.size < MAX_OPEN_QUEUES) return;
    const [oldest] = [...this.#open].find(([, { waiting }]) => waiting.length === 0) ?? [];
    if (oldest === undefined) return;
    this.#open
      .get(oldest)
      ?.queue.close()
      .catch(() => {});
    this.#open.delete(oldest);
  }

  async #flush(name: string): Promise<void> {
    const { queue, waiting } = this.#queueOf(name);
    for (const all of partsOf(waiting.splice(0))) {
      if (this.options.redis.status !== 'ready') {
        // A queue that is opened while Redis is unreachable waits for Redis, so nothing is added to it.
        const nowAt = this.options.clock.now();
        for (const { flight, resolve } of all) resolve(deferUntilRedisIsBack(flight, nowAt));
        continue;
      }
      const part = this.#begin(all);
      if (part.length === 0) continue;
      const outcome = await this.#add(queue, part);
      for (const { resolve } of part) resolve(outcome);
    }
  }

  /** Begins the deliveries, except those that were aborted or whose lease may have expired. */
  #begin(part: readonly Waiting[]): Waiting[] {
    const sentAt = this.options.clock.now();
    return part.filter(({ flight, reject }) => {
      try {
        flight.begin(sentAt);
        return true;
      } catch (reason) {
        reject(reason);
        return false;
      }
    });
  }

  async #add(queue: Queue, part: readonly Waiting[]): Promise<Outcome> {
    try {
      const heldBytes = await waitingBytes(queue, part);
      if (heldBytes > (this.options.maxWaitingBytes ?? MAX_WAITING_BYTES)) return full(heldBytes);
      // addBulk is not atomic. Jobs that were added before a failure are added again by the next attempt, and BullMQ
      // ignores them because of their ids.
      await queue.addBulk(part.map(({ job }) => job));
      return { kind: 'succeeded' };
    } catch (error) {
      return unavailable((error as Error).message);
    }
  }
}

/**
 * Refuses every delivery to a queue, on a worker without Redis. The schedules may have been created while the
 * installation had Redis.
 */
export const refuseQueue = async (): Promise<Outcome> => unavailable('REDIS_URL is none on this worker');

/** Splits a batch by number and by bytes. A part holds at least one job. */
function partsOf(batch: readonly Waiting[]): Waiting[][] {
  const parts: Waiting[][] = [];
  let bytes = 0;
  for (const each of batch) {
    const part = parts.at(-1);
    bytes += each.bytes;
    if (part && part.length < MAX_BULK_ADD && bytes <= MAX_BULK_BYTES) part.push(each);
    else {
      parts.push([each]);
      bytes = each.bytes;
    }
  }
  return parts;
}

/**
 * Estimates the payload bytes in a queue after these jobs are added. It assumes that the jobs already waiting are as
 * large as these. Returns 0 for small jobs.
 */
async function waitingBytes(queue: Queue, part: readonly Waiting[]): Promise<number> {
  const meanBytes = part.reduce((sum, { bytes }) => sum + bytes, 0) / part.length;
  return meanBytes < LARGE_JOB_BYTES ? 0 : meanBytes * ((await queue.getWaitingCount()) + part.length);
}

const full = (bytes: number): Outcome => ({
  kind: 'failed',
  isTransient: true,
  errorCode: 'queue_full',
  error: `the queue holds about ${Math.round(bytes / 1_048_576)} MiB that no program has taken; start its consumer`,
});

const MIN_DEFERRAL_MS = 1_000;
const MAX_DEFERRAL_MS = 10_000;

/**
 * The outcome of a delivery for which Redis is not connected. Nothing was sent and the Redis is Carillon's own, so the
 * attempt must not count. The longer a run has been deferred, the longer it waits for the next try, so that many
 * waiting runs do not load Postgres during a long outage.
 */
function deferUntilRedisIsBack({ run: { deferredFromAt } }: Flight, nowAt: number): Outcome {
  const waitedMs = deferredFromAt === null ? 0 : nowAt - deferredFromAt;
  return {
    kind: 'deferred',
    retryInMs: Math.min(MAX_DEFERRAL_MS, Math.max(MIN_DEFERRAL_MS, Math.round(waitedMs))),
    reasonCode: 'redis_unavailable',
    reason: 'Carillon is not connected to the Redis that holds the queue',
  };
}

const unavailable = (detail: string): Outcome => ({
  kind: 'failed',
  isTransient: true,
  errorCode: 'redis_unavailable',
  error: `Redis did not take the job: ${detail}`,
});
