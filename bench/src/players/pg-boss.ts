import { PgBoss } from 'pg-boss';
import { PG_BOSS_QUEUE, PG_BOSS_WORK } from '../contenders/pg-boss.js';
import type { Job } from '../harness/tally.js';
import { endOnSignal, readOrders } from './environment.js';

const { databaseUrl, tally } = readOrders();
const boss = new PgBoss({ connectionString: databaseUrl, schedule: false });
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.work<Job>(PG_BOSS_QUEUE, PG_BOSS_WORK, async (jobs) => {
  for (const job of jobs) tally.mark(job.data);
});
endOnSignal();
tally.ready();
