import { DAY_MS, storePlan, storeTiming } from '@carillon/shared';
import type { Pool as Postgres } from 'pg';
import { Pool } from 'undici';
import { apiCrew, onSite, type Site } from '../harness/carillon.js';
import { Crew } from '../harness/crew.js';
import { draft, PROJECT_ID } from '../harness/drafts.js';
import { number } from '../harness/format.js';
import type { Race, RaceContext } from '../harness/race.js';
import { median } from '../harness/statistics.js';
import { sleep } from '../harness/wait.js';

const KEY = 'ck_bench_admin_key_0123456789';
const BULK_GOAL_MS = 5_000;
const SEARCH_GOAL_MS = 100;
const REQUESTS_PER_SEARCH = 9;

interface Sizes {
  schedules: number;
  /** One schedule out of this many has the tag that the bulk actions select. */
  oneIn: number;
}

/** Measures bulk actions on 40,000 schedules, and searches among a million. */
export const operations: Race = {
  name: 'operations',
  work: '40,000 of a million schedules with names and tags are paused, resumed, skipped, triggered and cancelled, in one call each. Then the race searches for frequent, rare and short texts, alone and with other filters',
  rounds: 1,
  async run(context) {
    const sizes = context.isQuick ? { schedules: 20_000, oneIn: 25 } : { schedules: 1_000_000, oneIn: 25 };
    const { searches, actions } = await onSite(context.arena, (site) => measure(context, site, sizes));
    const slowestMedianMs = Math.max(...searches.map(({ ms }) => ms));
    const longestMs = Math.max(...actions.map(({ ms }) => ms));
    return {
      head: ['', 'found or changed', 'median ms', 'slowest ms'],
      rows: [...actions, ...searches].map(({ name, count, ms, slowestMs }) => [
        name,
        number(count),
        number(ms),
        number(slowestMs),
      ]),
      goals: [
        {
          goal: `bulk ≤ ${number(BULK_GOAL_MS)} ms`,
          figure: number(longestMs),
          isMet: longestMs <= BULK_GOAL_MS,
        },
        {
          goal: `each search ≤ ${SEARCH_GOAL_MS} ms (median)`,
          figure: number(slowestMedianMs),
          isMet: slowestMedianMs <= SEARCH_GOAL_MS,
        },
      ],
      notes: [],
      plots: [],
      refused: [],
    };
  },
};

interface Measured {
  name: string;
  count: number;
  ms: number;
  slowestMs: number;
}

async function measure(
  { arena, say }: RaceContext,
  { pool, env }: Site,
  sizes: Sizes,
): Promise<{ searches: Measured[]; actions: Measured[] }> {
  await seed(pool, sizes);
  await arena.maintain(env.DATABASE_URL);
  say(`${number(sizes.schedules)} schedules are there`);
  const crew = await Crew.start(apiCrew({ ...env, CARILLON_ADMIN_KEY: KEY, RATE_LIMIT_PER_MINUTE: '0' }));
  const client = new Pool(/"url":"([^"]+)"/.exec(crew.outputs[0] ?? '')?.[1] ?? '', { connections: 2 });
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const startedAt = performance.now();
    const response = await client.request({
      path,
      method,
      headers: {
        authorization: `Bearer ${KEY}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.body.json()) as Answer;
    if (response.statusCode !== 200 && response.statusCode !== 202)
      throw new Error(`${path} answered ${response.statusCode}: ${JSON.stringify(answer)}`);
    return { answer, ms: performance.now() - startedAt };
  };
  try {
    const searches: Measured[] = [];
    for (const query of SEARCHES) searches.push(await search(ask, query));
    const actions: Measured[] = [];
    for (const action of ['pause', 'resume', 'skip-next', 'trigger', 'cancel']) {
      const { changed, ms } = await act(ask, action);
      const expected = Math.ceil(sizes.schedules / sizes.oneIn);
      if (changed !== expected) throw new Error(`${action}: ${changed} of ${expected} changed`);
      actions.push({ name: action, count: expected, ms, slowestMs: ms });
      say(`${action}: ${number(ms)} ms`);
    }
    return { searches, actions };
  } finally {
    await client.destroy();
    await crew.end();
  }
}

interface Answer {
  items: { id: string }[];
  nextCursor: string | null;
  id: string | null;
  status: string;
  changed: number;
}
type Ask = (method: 'GET' | 'POST', path: string, body?: object) => Promise<{ answer: Answer; ms: number }>;

const ACTIONS = '/v1/schedules/actions';
/** Pause between two looks at an action that is still running. */
const LOOK_EVERY_MS = 50;

/**
 * Carries out a bulk action. One that takes longer than 10 s goes on after the answer, so this function waits for its
 * end.
 */
async function act(ask: Ask, action: string): Promise<{ changed: number; ms: number }> {
  const startedAt = performance.now();
  let { answer } = await ask('POST', ACTIONS, { action, filter: { tag: 'bulk' } });
  while (answer.status === 'running') {
    await sleep(LOOK_EVERY_MS);
    ({ answer } = await ask('GET', `${ACTIONS}/${answer.id}`));
  }
  return { changed: answer.changed, ms: performance.now() - startedAt };
}

/**
 * The texts to search for. In the seed, a quarter of all names contain "invoice", about one in 100,000 contains
 * "zebra", and only those of the oldest thousand schedules contain "veteran".
 */
const SEARCHES = [
  'q=invoice',
  'q=zebra',
  'q=veteran',
  'q=xyzzy',
  'q=i',
  'q=z',
  'q=in',
  'q=ze',
  'q=zq',
  'q=order-77',
  'q=order-123456',
  'q=customer%2042',
  'q=of%20mailbox%205',
  'q=invoice&status=active',
  'q=invoice&status=paused',
  'q=invoice&status=finished',
  'q=veteran&status=active',
  'q=xyzzy&status=active',
  'q=in&status=paused',
  'q=invoice&tag=team-7',
  'q=zebra&tag=bulk',
  'q=veteran&tag=bulk',
  'q=xyzzy&tag=bulk',
  'q=in&tag=bulk',
  'q=zq&tag=bulk',
  'q=invoice&target=webhook',
  'q=veteran&target=handler',
  'q=invoice&dueBefore=2099-01-01T00:00:00Z',
  'q=zq&dueBefore=2099-01-01T00:00:00Z',
];
const SCHEDULES_PER_PAGE = 50;

/**
 * Measures how long the first page of a search takes, and the second page, which begins at the cursor of the first.
 * Returns the median of each.
 */
async function search(ask: Ask, query: string): Promise<Measured> {
  const tookMs: number[] = [];
  let count = 0;
  for (let i = 0; i < REQUESTS_PER_SEARCH; i++) {
    const { answer, ms } = await ask('GET', `/v1/schedules?${query}&limit=${SCHEDULES_PER_PAGE}`);
    count = answer.items.length;
    tookMs.push(ms);
    if (answer.nextCursor === null) continue;
    const next = `/v1/schedules?${query}&limit=${SCHEDULES_PER_PAGE}&cursor=${encodeURIComponent(answer.nextCursor)}`;
    tookMs.push((await ask('GET', next)).ms);
  }
  return { name: query, count, ms: median(tookMs), slowestMs: Math.max(...tookMs) };
}

/**
 * The number of rows that one statement inserts. The statement must end within the time-out of the connection, even on
 * a busy machine.
 */
const ROWS_PER_STATEMENT = 5_000;

/**
 * About one schedule in a hundred is paused, and one in fifty has finished. None of these has the tag of the bulk
 * actions.
 */
const SEED = `
  with made as (
    insert into carillon.schedules (project_id, key, name, tags, target_type, rule, timing, plan, payload,
                                    defined_by, request_hash, runs_total)
    select $1, 'order-' || n,
           (array['Invoice reminder for customer ', 'Nightly export of account ', 'Birthday of person ', 'Sync of mailbox '])[n % 4 + 1]
             || n || case when n < 1000 then ' veteran' when n % 100000 = 7 then ' zebra' else '' end,
           array_remove(array[case when n % $6 = 0 then 'bulk' end, 'team-' || n % 49], null),
           case when n % 3 = 0 then 'handler' else 'webhook' end, $2::json, $3, $4, json_build_object('n', n), 'bench', 'h' || n,
           case when n % 51 = 9 and n % $6 > 0 then 1 end
    from generate_series($7::int, $8::int) as n
    returning id, runs_total, substr(key, 7)::int % 101 = 3 and not tags @> '{bulk}' as is_paused
  )
  insert into carillon.agenda (schedule_id, project_id, occurrence_at, due_at, handler, is_held)
  select id, $1, to_timestamp(($5::float8 + id % 1000000) / 1000), to_timestamp(($5::float8 + id % 1000000) / 1000), 'bench',
         is_paused
  from made where runs_total is null or is_paused`;

/**
 * The seed creates these schedules as active ones. This statement pauses them, as a person would do after creating
 * them.
 */
const PAUSE = `
  update carillon.schedules s set status = 'paused', paused_at = clock_timestamp()
  from carillon.agenda a where a.schedule_id = s.id and a.is_held`;

async function seed(pool: Postgres, { schedules, oneIn }: Sizes): Promise<void> {
  const dueFromAt = Date.now() + DAY_MS;
  const { rule, timing, plan } = draft({ id: 'seed', rule: { cron: '0 9 * * *' } }, dueFromAt);
  for (let from = 0; from < schedules; from += ROWS_PER_STATEMENT) {
    await pool.query(SEED, [
      PROJECT_ID,
      JSON.stringify(rule),
      storeTiming(timing),
      storePlan(plan),
      dueFromAt,
      oneIn,
      from,
      Math.min(from + ROWS_PER_STATEMENT, schedules) - 1,
    ]);
  }
  await pool.query(PAUSE);
}
