import { startOwnServers } from '@carillon/testkit';
import { playAll } from './harness/play.js';
import { brokenConnections } from './scenarios/broken-connections.js';
import { heldLocks } from './scenarios/held-locks.js';
import { silentPostgres } from './scenarios/silent-postgres.js';

playAll(
  'A Postgres that is silent, locked, short of connections or losing them',
  [...silentPostgres, ...heldLocks, ...brokenConnections],
  // There are few enough connections that a scenario can take them all in a second.
  () => startOwnServers({ postgresSettings: { max_connections: 60 } }),
);
