import { fileURLToPath } from 'node:url';
import { createPostgresBackend, Queue } from 'bullmq';
import { bullmqStage } from './bullmq-stage.js';
import { type Contender, PLAYERS_EACH, versionOf } from './contender.js';

export const BULLMQ_POSTGRES_QUEUE = 'bench';
/** Each job is a separate transaction, so a higher concurrency only makes jobs wait for each other. */
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
    return bullmqStage(queue, fileURLToPath(new URL('../players/bullmq-postgres.js', import.meta.url)));
  },
};
