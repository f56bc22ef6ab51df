import { hasExtensionLibrary, type PostgresBinaries } from './binaries.js';

export type PostgresSettings = Record<string, string | number>;

/** Settings for many small writes on a laptop with two cores. Durability is on, which is the default of Postgres. */
const SETTINGS: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  // There is no Unix socket: its path is limited to about 100 characters, and the path of a data folder may be longer.
  unix_socket_directories: '',
  max_connections: 200,
  timezone: 'UTC',
  log_timezone: 'UTC',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  random_page_cost: 1.1,
  // There are no replicas, so the WAL only serves crash recovery.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  // Checkpoints are rare, because after each checkpoint the first change to a page writes the whole page to the WAL.
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  wal_buffers: '16MB',
  // Statements are short, so JIT compilation and parallel plans cost more than they save.
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  // Each run of a schedule updates rows, so autovacuum must run early. By default it waits until a fifth of a table's
  // rows are dead.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: 0.05,
  autovacuum_vacuum_insert_scale_factor: 0.1,
  autovacuum_analyze_scale_factor: 0.02,
  autovacuum_vacuum_cost_limit: 1000,
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
};

export function settingFlags(binaries: PostgresBinaries, overrides: PostgresSettings): string[] {
  const preload = hasExtensionLibrary(binaries, 'pg_stat_statements')
    ? { shared_preload_libraries: 'pg_stat_statements' }
    : {};
  // The data in use fits in memory, so processes for asynchronous reads would idle.
  const reads = binaries.major >= 18 ? { io_method: 'sync' } : {};
  const settings = { ...SETTINGS, ...reads, ...preload, ...overrides };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
