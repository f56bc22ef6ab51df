import { DUE_JOB, openQueue, type PostgresClock, type ScheduleDue } from '@carillon/queue';
import { encodeRunId, type Outcome } from '@carillon/shared';
import type { BulkJobOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Flight } from '../in-flight.js';

interface Waiting {
  job: { name: string; data: ScheduleDue; opts: BulkJobOptions };
  settle: (outcome: Outcome) => void;
}

interface OpenQueue {
  queue: Queue;
  waiting: Waiting[];
}

const ADD_AT_ONCE = 500;
const MOST_OPEN = 200;

/**
 * A job that is done stays for an hour, or until there are so many: within that time the same run, added once more because
 * a worker was lost before it could say so, is still known by its id and not done twice.
 */
const KEPT: BulkJobOptions = {
  removeOnComplete: { age: 3_600, count: 10_000 },
  removeOnFail: { age: 7 * 86_400, count: 10_000 },
};

/** Adds runs to queues of whoever listens: those that are claimed together go together. */
export class DueQueues {
  readonly #open = new Map<string, OpenQueue>();

  constructor(private readonly options: { redis: Redis; prefix: string; clock: PostgresClock }) {}

  readonly deliver = ({ run }: Flight): Promise<Outcome> => {
    const { target } = run.plan;
    if (target.type !== 'queue') throw new Error('not a queue');
    return new Promise((settle) => {
      const { waiting } = this.#queueOf(target.queue);
      if (waiting.length === 0) setImmediate(() => this.#flush(target.queue));
      waiting.push({ job: this.#jobOf(run), settle });
    });
  };

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ queue }) => queue.close()));
  }

  #jobOf(run: Flight['run']): Waiting['job'] {
    const runId = encodeRunId(run);
    return {
      name: DUE_JOB,
      data: {
        id: run.scheduleKey,
        runId,
        occurrenceAt: new Date(run.occurrenceAt).toISOString(),
        firedAt: new Date(this.options.clock.now()).toISOString(),
        payload: run.payload === null ? null : JSON.parse(run.payload),
      },
      // A replay is meant to be done again, so it must not be taken for the job that Redis may still hold.
      opts: { ...KEPT, jobId: run.replays === 0 ? runId : `${runId}-r${run.replays}` },
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
    if (this.#open.size < MOST_OPEN) return;
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
    const batch = waiting.splice(0);
    for (let from = 0; from < batch.length; from += ADD_AT_ONCE) {
      const part = batch.slice(from, from + ADD_AT_ONCE);
      const outcome = await this.#add(queue, part);
      for (const { settle } of part) settle(outcome);
    }
  }

  async #add(queue: Queue, part: readonly Waiting[]): Promise<Outcome> {
    // Asked first: a queue that was opened while Redis was away would wait for it instead of failing.
    if (this.options.redis.status !== 'ready') return unavailable('not connected');
    try {
      // Not atomic: what was added before a failure is added again with the next attempt, and ignored by its id.
      await queue.addBulk(part.map(({ job }) => job));
      return { kind: 'succeeded' };
    } catch (error) {
      return unavailable((error as Error).message);
    }
  }
}

const unavailable = (detail: string): Outcome => ({
  kind: 'failed',
  isTransient: true,
  errorCode: 'redis_unavailable',
  error: `Redis did not take the job: ${detail}`,
});
