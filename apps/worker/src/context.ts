import type { Claimant, PostgresWatch } from '@carillon/db';
import type { PostgresClock, Ringer } from '@carillon/queue';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Alerts } from './alerts/alerts.js';
import type { Receipts } from './delivery/receipts/receipts.js';
import type { Traffic } from './delivery/traffic/traffic.js';
import type { Membership } from './membership.js';
import type { Metrics } from './metrics.js';
import type { RunHooks } from './pipeline/run-hooks.js';
import type { RunTracing } from './run-tracing.js';

/** The context that all parts of a worker share. */
export interface WorkerContext {
  /** Identifies this process as the holder of its leases. Part of every fencing token. */
  holder: Claimant;
  /** Whether this worker may claim. */
  membership: Pick<Membership, 'isHeld' | 'rememberClaim'>;
  pool: Pool;
  /** A pool with one connection, so that leases are extended even while other work uses every connection of `pool`. */
  leasePool: Pool;
  /** Logs errors. An outage of Postgres is logged as one warning at its beginning and one line at its end. */
  postgres: PostgresWatch;
  bells: Ringer;
  clock: PostgresClock;
  metrics: Metrics;
  log: Logger;
  receipts: Pick<Receipts, 'send'>;
  traffic: Pick<Traffic, 'backpressure' | 'openCircuits'>;
  alerts: Pick<Alerts, 'noteEnd' | 'judge'>;
  hooks: RunHooks;
  /** Null unless OTEL_EXPORTER_OTLP_ENDPOINT is set. */
  tracing: RunTracing | null;
  leaseMs: number;
  batchSize: number;
  sweepIntervalMs: number;
  horizonMs: number;
}
