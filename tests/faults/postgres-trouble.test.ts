import { randomBytes } from 'node:crypto';
import { startOwnServers, USES_PGBOUNCER } from '@carillon/testkit';
import { playAll } from './harness/play.js';
import { brokenConnections } from './scenarios/broken-connections.js';
import { exhaustedPools } from './scenarios/exhausted-pools.js';
import { heldLocks } from './scenarios/held-locks.js';
import { silentPostgres } from './scenarios/silent-postgres.js';

/** Behind PgBouncer, its 12 connections are used up first, so the pools of the programs never are. */
const ofPools = USES_PGBOUNCER ? [] : [exhaustedPools];

playAll(
  'A Postgres that is silent, locked, short of connections or losing them',
  [...silentPostgres, ...heldLocks, ...brokenConnections, ...ofPools],
  // Postgres accepts so few connections that a scenario can take all of them within a second.
  () => startOwnServers({ postgresSettings: { max_connections: 60 } }),
  // A scenario creates schedules with the target `heartbeat`. The API refuses them without a key, which signs their
  // ping URLs.
  { CARILLON_ENCRYPTION_KEY: randomBytes(32).toString('base64') },
);
