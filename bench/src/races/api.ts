import { fileURLToPath } from 'node:url';
import { DAY_MS } from '@carillon/shared';
import pg from 'pg';
import { Pool } from 'undici';
import { versionOf } from '../contenders/contender.js';
import type { Arena } from '../harness/arena.js';
import { apiCrew } from '../harness/carillon.js';
import { Crew, type CrewOptions } from '../harness/crew.js';
import { number, percent } from '../harness/format.js';
import { interleave, type Race } from '../harness/race.js';
import { rateRow } from '../harness/rate-row.js';
import { median } from '../harness/statistics.js';
import { COUNT_CREATED } from '../harness/tables.js';

const CONNECTIONS = 50;
/** Two bulk clients, so that the API reads the request of one while Postgres stores the request of the other. */
const BULK_SENDERS = 2;
const SHARE_GOAL = 0.5;
const BULK_GOAL = 10_000;
const COUNT_CREATED_BARE =
  'select count(*)::int as count, count(distinct key)::int as distinct from bare where next_run_at > now()';
const KEY = 'ck_bench_admin_key_0123456789';

interface Entrant {
  name: string;
  version: string;
  crew: (env: Record<string, string>) => CrewOptions;
  /** The query that counts the created schedules. */
  countCreated: string;
  /** The number of requests, and the number of schedules in each request. */
  calls: number;
  perCall: number;
}

/** Creates schedules one by one and in bulk. */
export const api: Race = {
  name: 'api',
  work: `10,000 schedules are created one by one by POST /v1/schedules, over ${CONNECTIONS} connections. For comparison, a bare Fastify only inserts the body. Then 100,000 are created in bulk, 5,000 per call, two calls at a time`,
  rounds: 5,
  async run(context) {
    const [calls, bulkCalls] = context.isQuick ? [500, 4] : [10_000, 20];
    const bare: CrewOptions = {
      main: fileURLToPath(new URL('../players/bare-fastify.js', import.meta.url)),
      processes: 1,
      env: {},
      readyWhenPrinted: 'API ready',
    };
    const ours = { version: 'this commit', crew: apiCrew, countCreated: COUNT_CREATED };
    const entrants: Entrant[] = [
      { ...ours, name: 'Carillon', calls, perCall: 1 },
      {
        name: 'bare Fastify and INSERT',
        version: versionOf('fastify'),
        crew: (env) => ({ ...bare, env }),
        countCreated: COUNT_CREATED_BARE,
        calls,
        perCall: 1,
      },
      { ...ours, name: 'Carillon in bulk', calls: bulkCalls, perCall: 5_000 },
    ];
    const all = await interleave(context, entrants, (entrant) => post(context.arena, entrant));
    const [one, least, bulk] = all.map(({ samples }) => median(samples)) as [number, number, number];
    return {
      head: ['', 'schedules a second', 'spread', 'of bare'],
      rows: all
        .filter(({ refused }) => !refused)
        .map((entrant) => [...rateRow(entrant), percent(median(entrant.samples) / least)]),
      goals: [
        {
          goal: `≥ ${percent(SHARE_GOAL)} of bare`,
          figure: percent(one / least),
          isMet: one / least >= SHARE_GOAL,
        },
        { goal: `bulk ≥ ${number(BULK_GOAL)} a second`, figure: number(bulk), isMet: bulk >= BULK_GOAL },
      ],
      notes: [],
      plots: [],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};

async function post(arena: Arena, { crew: crewOf, countCreated, calls, perCall }: Entrant): Promise<number> {
  const databaseUrl = await arena.clear();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: arena.redisUrl, CARILLON_ADMIN_KEY: KEY };
  const crew = await Crew.start(crewOf(env));
  const client = new Pool(/"url":"([^"]+)"/.exec(crew.outputs[0] ?? '')?.[1] ?? '', {
    connections: CONNECTIONS,
  });
  try {
    // The warm-up is not counted. It opens connections, makes Postgres plan its statements, and warms the JIT.
    const warmUp = Math.ceil(calls / 10);
    await send(client, bodiesOf({ from: 0, calls: warmUp, perCall }), perCall);
    const bodies = bodiesOf({ from: warmUp, calls, perCall });
    await arena.maintain(databaseUrl);
    const startedAt = performance.now();
    await send(client, bodies, perCall);
    const seconds = (performance.now() - startedAt) / 1_000;
    await check(databaseUrl, countCreated, (warmUp + calls) * perCall);
    return (calls * perCall) / seconds;
  } finally {
    await client.destroy();
    await crew.end();
  }
}

/** Makes the requests before the clock starts, because only the server is measured. */
function bodiesOf({ from, calls, perCall }: { from: number; calls: number; perCall: number }): string[] {
  return Array.from({ length: calls }, (_, call) => {
    const items = Array.from({ length: perCall }, (_, i) => example((from + call) * perCall + i));
    return JSON.stringify(perCall === 1 ? items[0] : { items });
  });
}

async function send(client: Pool, bodies: readonly string[], perCall: number): Promise<void> {
  const [path, status] = perCall === 1 ? ['/v1/schedules', 201] : ['/v1/schedules/bulk', 200];
  const senders = perCall === 1 ? CONNECTIONS : BULK_SENDERS;
  const left = bodies.values();
  const sendOn = async () => {
    for (const body of left) {
      const response = await client.request({
        path: path as string,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
        body,
      });
      const text = await response.body.text();
      if (response.statusCode !== status)
        throw new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: senders }, sendOn));
}

/** A typical request. Its due time is in the far future and differs from the others. */
const example = (n: number) => ({
  id: `invoice-${n}`,
  name: `Invoice reminder ${n}`,
  tags: ['billing'],
  rule: { at: new Date(Date.now() + DAY_MS + n * 1_000).toISOString() },
  timezone: 'America/New_York',
  retry: { maxAttempts: 3, baseDelay: 'PT60S' },
  target: { type: 'webhook', url: 'https://example.com/hook', headers: {} },
  payload: { invoice: n, amount: 4_200 },
});

async function check(databaseUrl: string, countCreated: string, expected: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number; distinct: number }>(countCreated);
    const { count, distinct } = rows[0] ?? {};
    if (count !== expected || distinct !== expected)
      throw new Error(`Postgres has ${count} rows, ${distinct} distinct, of ${expected}`);
  } finally {
    await client.end();
  }
}
