import { agenda } from './agenda.js';
import { bullmq } from './bullmq.js';
import { bullmqPostgres } from './bullmq-postgres.js';
import { carillon } from './carillon.js';
import type { Contender } from './contender.js';
import { graphileWorker } from './graphile-worker.js';
import { pgBoss } from './pg-boss.js';

const PEERS: readonly Contender[] = [graphileWorker, pgBoss, bullmq, bullmqPostgres, agenda];

/** Carillon first, then whom it is compared with. */
export function contenders(only: string | null): Contender[] {
  return [carillon, ...PEERS.filter(({ name }) => !only || name.toLowerCase().includes(only.toLowerCase()))];
}
