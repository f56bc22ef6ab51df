import { randomUUID } from 'node:crypto';
import { registerWorker } from '@carillon/db';
import type { Pool } from 'pg';

/** Registers this process as a worker, for races that claim without a worker process. */
export const registerClaimant = (pool: Pool) =>
  registerWorker(pool, {
    host: 'bench',
    pid: process.pid,
    token: randomUUID(),
    handlers: ['bench'],
    tzdata: 'test',
    heartbeatIntervalMs: 5_000,
  });
