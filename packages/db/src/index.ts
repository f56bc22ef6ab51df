export * from './database.js';
export { migrate } from './migrate.js';
export * from './queries/claim-due.js';
export * from './queries/claim-waiting.js';
export * from './queries/close-runs.js';
export * from './queries/leases.js';
export * from './queries/sweep.js';
export * from './queries/workers.js';
export * as schema from './schema/index.js';
