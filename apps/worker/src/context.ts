import type { Bells, PostgresClock } from '@carillon/queue';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';

/** What every part of a worker shares. */
export interface WorkerContext {
  workerId: number;
  pool: Pool;
  bells: Bells;
  clock: PostgresClock;
  metrics: Metrics;
  log: Logger;
  leaseMs: number;
  batchSize: number;
  sweepIntervalMs: number;
  horizonMs: number;
}
