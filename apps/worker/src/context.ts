import type { Bells, PostgresClock } from '@carillon/queue';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';
import type { Receipts } from './targets/receipts.js';
import type { Traffic } from './targets/traffic.js';

/** What every part of a worker shares. */
export interface WorkerContext {
  workerId: number;
  pool: Pool;
  bells: Bells;
  clock: PostgresClock;
  metrics: Metrics;
  log: Logger;
  receipts: Pick<Receipts, 'send'>;
  traffic: Pick<Traffic, 'breath'>;
  leaseMs: number;
  batchSize: number;
  sweepIntervalMs: number;
  horizonMs: number;
}
