import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { closePool } from '../harness/connections.js';
import { type Contender, inChunks, PLAYERS_EACH, versionOf } from './contender.js';

export const PG_BOSS_QUEUE = 'bench';
/**
 * pg-boss fetches and completes jobs in batches, fetches again at once after a full batch, and polls at its shortest
 * interval.
 */
export const PG_BOSS_WORK = {
  batchSize: 200,
  pollingIntervalSeconds: 0.5,
  burstWhenBatchFull: true,
  localConcurrency: 1,
} as const;

export const pgBoss: Contender = {
  name: 'pg-boss',
  version: versionOf('pg-boss'),
  settings: `fetch and complete in batches of ${PG_BOSS_WORK.batchSize}, burst while full, ${PLAYERS_EACH} processes, poll every ${PG_BOSS_WORK.pollingIntervalSeconds} s (its least)`,
  keepsHistory: true,
  seedMs: (jobs) => jobs * 0.15,
  share: 1,
  async open({ databaseUrl }) {
    const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
    boss.on('error', (error) => console.error(error));
    await boss.start();
    await boss.createQueue(PG_BOSS_QUEUE);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    return {
      crew: {
        main: fileURLToPath(new URL('../players/pg-boss.js', import.meta.url)),
        processes: PLAYERS_EACH,
        env: {},
      },
      async seed(jobs) {
        for (const chunk of inChunks(jobs, 5_000)) {
          await boss.insert(
            PG_BOSS_QUEUE,
            chunk.map((job) => ({ data: job, startAfter: new Date(job.at) })),
          );
        }
      },
      async areJobsDone() {
        const { rowCount } = await pool.query(`select from pgboss.job where state < 'completed' limit 1`);
        return rowCount === 0;
      },
      async findFaults(jobs) {
        const { rows } = await pool.query<{ completed: number }>(
          `select count(*)::int as completed from pgboss.job where name = $1 and state = 'completed' and retry_count = 0`,
          [PG_BOSS_QUEUE],
        );
        const completed = rows[0]?.completed ?? 0;
        return completed === jobs.length ? [] : [`${completed} of ${jobs.length} jobs are completed`];
      },
      async close() {
        await closePool(pool);
        await boss.stop({ graceful: false });
      },
    };
  },
};
