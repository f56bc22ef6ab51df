import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { type Contender, inChunks, PLAYERS_EACH, versionOf } from './contender.js';

export const BULLMQ_QUEUE = 'bench';
/** Twice what its documentation shows for work that waits. */
export const BULLMQ_CONCURRENCY = 100;

/** What one gets without a database: a delayed job per row, in Redis only. */
export const bullmq: Contender = {
  name: 'BullMQ',
  version: versionOf('bullmq'),
  settings: `a delayed job each, ${PLAYERS_EACH} processes, concurrency ${BULLMQ_CONCURRENCY}, removed when done; kept in Redis only`,
  keepsHistory: false,
  seedMs: (jobs) => jobs * 0.2,
  share: 1,
  async open({ redisUrl }) {
    const { hostname, port } = new URL(redisUrl);
    const queue = new Queue(BULLMQ_QUEUE, { connection: { host: hostname, port: Number(port) } });
    await queue.waitUntilReady();
    return {
      crew: {
        main: fileURLToPath(new URL('../players/bullmq.js', import.meta.url)),
        processes: PLAYERS_EACH,
        env: {},
      },
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
      async isSettled() {
        const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'prioritized');
        return Object.values(counts).every((count) => count === 0);
      },
      async findFaults() {
        const failed = await queue.getJobCountByTypes('failed');
        return failed > 0 ? [`${failed} jobs failed`] : [];
      },
      close: () => queue.close(),
    };
  },
};
