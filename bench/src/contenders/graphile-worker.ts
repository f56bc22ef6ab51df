import { fileURLToPath } from 'node:url';
import { makeWorkerUtils } from 'graphile-worker';
import pg from 'pg';
import { closePool } from '../harness/connections.js';
import { type Contender, inChunks, PLAYERS_EACH, versionOf } from './contender.js';

/**
 * The settings from graphile-worker's own performance page and benchmark: it fetches jobs and writes completions in
 * batches, and its poll interval is so short that it adds no lateness.
 */
export const GRAPHILE_SETTINGS = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  pollInterval: 50,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

export const graphileWorker: Contender = {
  name: 'graphile-worker',
  version: versionOf('graphile-worker'),
  settings: `local queue of ${GRAPHILE_SETTINGS.localQueue.size}, batched completion, ${PLAYERS_EACH} processes, concurrency ${GRAPHILE_SETTINGS.concurrentJobs}, poll every ${GRAPHILE_SETTINGS.pollInterval} ms; deletes what is done`,
  keepsHistory: false,
  seedMs: (jobs) => jobs * 0.1,
  share: 1,
  async open({ databaseUrl }) {
    const utils = await makeWorkerUtils({ connectionString: databaseUrl });
    await utils.migrate();
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    return {
      crew: {
        main: fileURLToPath(new URL('../players/graphile-worker.js', import.meta.url)),
        processes: PLAYERS_EACH,
        env: {},
      },
      async seed(jobs) {
        for (const chunk of inChunks(jobs, 5_000)) {
          await utils.addJobs(
            chunk.map((job) => ({ identifier: 'job', payload: job, runAt: new Date(job.at) })),
          );
        }
      },
      async areJobsDone() {
        const { rowCount } = await pool.query('select from graphile_worker._private_jobs limit 1');
        return rowCount === 0;
      },
      findFaults: async () => [],
      async close() {
        await closePool(pool);
        await utils.release();
      },
    };
  },
};
