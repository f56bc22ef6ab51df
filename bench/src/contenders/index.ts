import type { RaceContext } from '../harness/race.js';
import { agenda } from './agenda.js';
import { bullmq } from './bullmq.js';
import { bullmqPostgres } from './bullmq-postgres.js';
import { carillon } from './carillon.js';
import type { Contender } from './contender.js';
import { graphileWorker } from './graphile-worker.js';
import { pgBoss } from './pg-boss.js';

const PEERS: readonly Contender[] = [graphileWorker, pgBoss, bullmq, bullmqPostgres, agenda];

/** Returns Carillon first, then its earlier build if the race compares with one, then the other schedulers. */
export function contenders({ only, before }: Pick<RaceContext, 'only' | 'before'>): Contender[] {
  const ours = before ? [carillon, before.carillon] : [carillon];
  return [...ours, ...PEERS.filter(({ name }) => !only || name.toLowerCase().includes(only.toLowerCase()))];
}
