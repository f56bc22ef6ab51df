import { fileURLToPath } from 'node:url';
import { createPostgresBackend, Queue } from 'bullmq';
import { type Contender, inChunks, PLAYERS_EACH, versionOf } from './contender.js';

export const BULLMQ_POSTGRES_QUEUE = 'bench';
/** Each job is a transaction of its own here: more at once only wait for each other. */
export const BULLMQ_POSTGRES_CONCURRENCY = 50;

export const bullmqPostgres: Contender = {
  name: 'BullMQ on Postgres',
  version: versionOf('bullmq'),
  settings: `its Postgres backend, a delayed job each, ${PLAYERS_EACH} processes, concurrency ${BULLMQ_POSTGRES_CONCURRENCY}, pools of 20, removed when done`,
  keepsHistory: false,
  seedMs: (jobs) => jobs * 0.5,
  share: 0.1,
  async open({ databaseUrl }) {
    const queue = new Queue(
      BULLMQ_POSTGRES_QUEUE,
      { connection: { connectionString: databaseUrl, migrate: true } },
      createPostgresBackend,
    );
    await queue.waitUntilReady();
    return {
      crew: {
        main: fileURLToPath(new URL('../players/bullmq-postgres.js', import.meta.url)),
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
