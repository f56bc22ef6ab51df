import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { bullmqStage } from './bullmq-stage.js';
import { type Contender, PLAYERS_EACH, versionOf } from './contender.js';

export const BULLMQ_QUEUE = 'bench';
/** Twice the concurrency that the documentation of BullMQ shows for I/O-bound work. */
export const BULLMQ_CONCURRENCY = 100;

/** BullMQ without a database: each job is a delayed job in Redis. */
export const bullmq: Contender = {
  name: 'BullMQ',
  version: versionOf('bullmq'),
  settings: `a delayed job each, ${PLAYERS_EACH} processes, concurrency ${BULLMQ_CONCURRENCY}, removed when done; kept in Redis only`,
  keepsHistory: false,
  seedMs: (jobs) => jobs * 0.2,
  share: 1,
  async open({ redisUrl }) {
    const queue = new Queue(BULLMQ_QUEUE, { connection: { url: redisUrl } });
    await queue.waitUntilReady();
    return bullmqStage(queue, fileURLToPath(new URL('../players/bullmq.js', import.meta.url)));
  },
};
