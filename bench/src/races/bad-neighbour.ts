import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onSite, type Site, workerCrew } from '../harness/carillon.js';
import { Crew } from '../harness/crew.js';
import { draft, insertSchedules } from '../harness/drafts.js';
import { number, percent, ratio } from '../harness/format.js';
import { interleave, type Race, type Rounds } from '../harness/race.js';
import { median, percentile, spread } from '../harness/statistics.js';
import { sleep, waitUntil } from '../harness/wait.js';

interface Neighbourhood {
  name: string;
  isBad: boolean;
}

interface Sample {
  p50: number;
  p99: number;
}

const NEIGHBOURHOODS: Neighbourhood[] = [
  { name: 'alone', isBad: false },
  { name: 'beside one that hangs', isBad: true },
];
const PER_SECOND = 100;
const LEAD_MS = 3_000;
const P99_RATIO_GOAL = 2;

/** Measures how late deliveries to one origin are while another origin never answers. */
export const badNeighbour: Race = {
  name: 'bad-neighbour',
  work: `${PER_SECOND} webhooks a second go to an origin that answers at once: first alone, then beside as many to an origin that never answers`,
  rounds: 3,
  async run(context) {
    const all = await interleave(context, NEIGHBOURHOODS, (where) =>
      onSite(context.arena, (site) => deliver(site, where, context.isQuick ? 2 : 20)),
    );
    const [alone, beside] = all.map(({ samples }) => median(samples.map(({ p99 }) => p99)));
    const figure = (beside ?? Number.NaN) / (alone ?? Number.NaN);
    return {
      head: ['', 'late by ms, p50', 'p99', 'spread of p99'],
      rows: all.filter(({ refused }) => !refused).map(toRow),
      goals: [
        {
          goal: `p99 below ${ratio(P99_RATIO_GOAL)} that alone`,
          figure: ratio(figure),
          isMet: figure < P99_RATIO_GOAL,
        },
      ],
      notes: ['Lateness is measured from the due instant to the arrival of the request at the receiver.'],
      plots: [],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};

function toRow({ contender, samples }: Rounds<Neighbourhood, Sample>): string[] {
  const p99s = samples.map(({ p99 }) => p99);
  return [
    contender.name,
    number(median(samples.map(({ p50 }) => p50))),
    number(median(p99s)),
    percent(spread(p99s)),
  ];
}

async function deliver(
  { pool, bells, env }: Site,
  { isBad }: Neighbourhood,
  seconds: number,
): Promise<Sample> {
  const latenessMs: number[] = [];
  const good = await listen((dueAt) => latenessMs.push(Date.now() - dueAt));
  const bad = await listen(null);
  // A stopping worker waits this long for its deliveries. The time is short, because the deliveries to the hanging
  // origin never end.
  const crew = await Crew.start(workerCrew({ ...env, STOP_DEADLINE_MS: '500' }));
  try {
    const count = PER_SECOND * seconds;
    const startAt = Date.now() + LEAD_MS;
    const servers = isBad ? [good, bad] : [good];
    const jobs = Array.from({ length: count }, (_, n) => startAt + (n * 1_000) / PER_SECOND).flatMap(
      (at, n) =>
        servers.map((server) => ({ id: `${server === good ? 'good' : 'bad'}-${n}`, at, url: urlOf(server) })),
    );
    await insertSchedules(pool, jobs, ({ id, at, url }) =>
      draft(
        { id, rule: { at: new Date(at).toISOString() }, target: { type: 'webhook', url, headers: {} } },
        Date.now(),
      ),
    );
    await bells.arm(jobs.map(({ at }) => at));
    await sleep(Math.max(0, startAt - Date.now()));
    await waitUntil(() => latenessMs.length >= count, {
      everyMs: 50,
      withinMs: 120_000,
      what: `${count} deliveries`,
    });
    if (latenessMs.length > count) throw new Error(`${latenessMs.length} deliveries of ${count}`);
    return { p50: percentile(latenessMs, 0.5), p99: percentile(latenessMs, 0.99) };
  } finally {
    await crew.end();
    for (const server of [good, bad]) server.close().closeAllConnections();
  }
}

/**
 * A receiver that answers at once and passes the due time of each delivery to `onDue`. If `onDue` is null, it never
 * answers.
 */
async function listen(onDue: ((dueAt: number) => void) | null): Promise<Server> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (!onDue) return;
    onDue(Date.parse(JSON.parse(body).occurrenceAt));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
