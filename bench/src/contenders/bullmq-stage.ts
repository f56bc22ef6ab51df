import type { Queue } from 'bullmq';
import { inChunks, PLAYERS_EACH, type Stage } from './contender.js';

/** A BullMQ queue, on Redis or on Postgres. */
type BullmqQueue = Pick<Queue, 'addBulk' | 'getJobCounts' | 'getJobCountByTypes' | 'close'>;

/** Stores each job as a delayed job of a BullMQ queue. `main` is the program of the worker processes. */
export const bullmqStage = (queue: BullmqQueue, main: string): Stage => ({
  crew: { main, processes: PLAYERS_EACH, env: {} },
  async seed(jobs) {
    for (const chunk of inChunks(jobs, 1_000)) {
      const nowAt = Date.now();
      await queue.addBulk(
        chunk.map((job) => ({
          name: 'job',
          data: job,
          opts: { delay: job.at - nowAt, timestamp: nowAt, removeOnComplete: true },
        })),
      );
    }
  },
  async areJobsDone() {
    const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'prioritized');
    return Object.values(counts).every((count) => count === 0);
  },
  async findFaults() {
    const failed = await queue.getJobCountByTypes('failed');
    return failed > 0 ? [`${failed} jobs failed`] : [];
  },
  close: () => queue.close(),
});
