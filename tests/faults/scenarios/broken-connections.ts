import { openDatabase, type Transaction } from '@carillon/db';
import { eventually } from '@carillon/testkit';
import type { Scenario } from '../harness/play.js';
import type { Stage } from '../harness/stage.js';
import { createThroughout, repeatFor, seeAccepted, seeFire } from '../harness/traffic.js';

const lengthOf = (stage: Stage) =>
  stage.scaled({ short: 3_000, long: stage.random.integer(3_000, 8_000), full: 20_000 });

const EVERY_MS = 100;
/** The share of all connections that each step resets, which adds up to 30% per second. */
const SHARE_RESET = 0.3 * (EVERY_MS / 1_000);

const resets: Scenario = {
  number: 25,
  fault: 'each second, 30% of all connections to Postgres are reset',
  holds: 'the API answers each new schedule with 201 or 503',
  async play(stage) {
    const { random, installation } = stage;
    const { postgres, apiPostgres } = installation.proxies;
    const isChosen = () => random.isLikely(SHARE_RESET);
    await stage.load({ seconds: 4 });
    await createThroughout(stage, async (statuses) => {
      await repeatFor({ forMs: lengthOf(stage), everyMs: EVERY_MS }, () =>
        stage.inject(postgres.reset(isChosen) + apiPostgres.reset(isChosen)),
      );
      stage.heal();
      await seeAccepted(statuses);
    });
    await seeFire(stage);
  },
};

const killStorm: Scenario = {
  number: 28,
  fault: 'pg_terminate_backend ends random connections of Carillon, many times a second',
  holds: 'the API answers each new schedule with 201 or 503',
  async play(stage) {
    const { random, installation } = stage;
    const killSome = async () => {
      const { rows } = await installation.pool.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and application_name like 'carillon-%' order by pid`,
      );
      const victims = random.pickMany(rows, random.integer(1, 3));
      await installation.pool.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [
        victims.map(({ pid }) => pid),
      ]);
      stage.inject(victims.length);
    };
    await stage.load({ seconds: 4 });
    await createThroughout(stage, async (statuses) => {
      await repeatFor({ forMs: lengthOf(stage), everyMs: random.integer(20, 100) }, killSome);
      stage.heal();
      await seeAccepted(statuses);
    });
    await seeFire(stage);
  },
};

/** Takes every free connection of Postgres, and each connection that becomes free later, until `release` is called. */
function takeConnections(url: string) {
  const pool = openDatabase({ url, max: 1_000, applicationName: 'hog', onError: () => {} });
  const taken: Transaction[] = [];
  let isOver = false;
  const taking = (async () => {
    while (!isOver) {
      const client = await pool.connect().catch(() => null);
      if (!client) await new Promise((resolve) => setTimeout(resolve, 20));
      else taken.push(client);
    }
  })();
  return {
    async release(): Promise<void> {
      isOver = true;
      await taking;
      for (const client of taken) client.release(true);
      await pool.end();
    },
  };
}

const exhausted: Scenario = {
  number: 29,
  fault: 'another client takes every connection that Postgres has',
  holds: 'the API answers 503 meanwhile, and the API and the workers recover by themselves',
  async play(stage) {
    const { installation } = stage;
    const { postgres, apiPostgres } = installation.proxies;
    await stage.load({ seconds: 4 });
    await createThroughout(stage, async (statuses) => {
      const hog = takeConnections(installation.servers.databaseUrl);
      try {
        stage.inject();
        // When a connection of Carillon is reset, the other client takes its place in Postgres, so that Carillon can't
        // reconnect.
        await eventually(
          () => {
            postgres.reset();
            apiPostgres.reset();
            return statuses.at(-1) === 503;
          },
          { withinMs: 60_000, everyMs: 200, what: 'a 503' },
        );
        await repeatFor({ forMs: lengthOf(stage) / 2, everyMs: 200 }, () => {
          postgres.reset();
          apiPostgres.reset();
        });
      } finally {
        await hog.release();
      }
      stage.heal();
      await seeAccepted(statuses);
    });
    await seeFire(stage);
  },
};

export const brokenConnections = [resets, killStorm, exhausted];
