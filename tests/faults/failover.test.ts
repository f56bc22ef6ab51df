import { ReplicatedPostgres, startOwnServers } from '@carillon/testkit';
import { playAll } from './harness/play.js';
import { lostTail } from './scenarios/lost-tail.js';

let postgres: ReplicatedPostgres;

playAll(
  'A Postgres that loses its last transactions',
  lostTail(() => postgres),
  async () => {
    postgres = await ReplicatedPostgres.start();
    const servers = await startOwnServers({ databaseUrl: postgres.url });
    return {
      ...servers,
      async stop() {
        await servers.stop();
        await postgres.stop();
      },
    };
  },
);
