import { fileURLToPath } from 'node:url';
import { compareRounds } from '../before/comparison.js';
import { BEFORE } from '../before/earlier-carillon.js';
import { carillon } from '../contenders/carillon.js';
import { type Contender, PLAYERS_EACH, versionOf } from '../contenders/contender.js';
import type { Arena } from '../harness/arena.js';
import { openSite, workerCrew } from '../harness/carillon.js';
import { Crew } from '../harness/crew.js';
import { draft, insertSchedules } from '../harness/drafts.js';
import { number, percent } from '../harness/format.js';
import { faultsIn, runOneShots } from '../harness/one-shots.js';
import { interleave, type Race } from '../harness/race.js';
import { median, spread } from '../harness/statistics.js';
import { areAllOneShotsDone, findDeliveryFaults } from '../harness/tables.js';
import { waitUntil } from '../harness/wait.js';
import { CONNECTIONS_EACH } from './webhook-example.js';

const SHARE_GOAL = 0.5;
const ROUND_TIMEOUT_MS = 120_000;

/** Measures how close the rate of webhook deliveries comes to the rate of plain HTTP requests. */
export const webhooks: Race = {
  name: 'webhooks',
  work: `20,000 webhooks to a receiver on loopback are due at one instant, and ${PLAYERS_EACH} workers send ${CONNECTIONS_EACH * PLAYERS_EACH} at once. For comparison, undici alone sends the same headers and body over as many connections`,
  rounds: 5,
  canCompare: true,
  async run(context) {
    const count = context.isQuick ? 1_000 : 20_000;
    const receiver = await Crew.start({
      main: fileURLToPath(new URL('../players/receiver.js', import.meta.url)),
      processes: 1,
      env: {},
      readyWhenPrinted: 'listening on',
    });
    try {
      const url = /listening on (\S+)/.exec(receiver.outputs[0] ?? '')?.[1] ?? '';
      const builds = [toWebhooks(url), ...(context.before ? [context.before.toWebhooks(url)] : [])];
      const entrants = [
        ...builds.map((build) => ({
          name: build.name,
          version: build.version,
          run: () => deliver(context.arena, build, count),
        })),
        {
          name: 'undici alone',
          version: versionOf('undici'),
          run: () => sendAlone(context.arena, url, count),
        },
      ];
      const all = await interleave(context, entrants, async ({ run }) => {
        const tookMs = await run();
        await checkReceived(url, count);
        return count / (tookMs / 1_000);
      });
      const held = all.filter(({ refused }) => !refused);
      const roundsOf = (name: string) => all.find(({ contender }) => contender.name === name);
      const rateOf = (name: string) => median(roundsOf(name)?.samples ?? []);
      const [ours, alone] = [rateOf('Carillon'), rateOf('undici alone')];
      return {
        head: ['', 'webhooks a second', 'spread', 'of undici alone'],
        rows: held.map(({ contender, samples }) => [
          `${contender.name} ${contender.version}`,
          number(median(samples)),
          percent(spread(samples)),
          percent(median(samples) / alone),
        ]),
        goals: [
          {
            goal: `≥ ${percent(SHARE_GOAL)} of undici alone`,
            figure: percent(ours / alone),
            isMet: ours / alone >= SHARE_GOAL,
          },
        ],
        notes: compareRounds('Webhooks a second', {
          now: roundsOf('Carillon'),
          before: roundsOf(BEFORE),
          figureOf: (rate) => rate,
        }),
        plots: [],
        refused: all.flatMap(({ refused }) => refused ?? []),
      };
    } finally {
      await receiver.end();
    }
  },
};

async function deliver(arena: Arena, build: Contender, count: number): Promise<number> {
  const round = await runOneShots(arena, build, {
    jobsFrom: (startAt) => Array.from({ length: count }, (_, n) => ({ n, at: startAt })),
    withinMs: ROUND_TIMEOUT_MS,
    // The workers do not count jobs, because the receiver proves that every webhook arrived.
    isCountedElsewhere: true,
  });
  return round.tookMs;
}

export const toWebhooks = (url: string): Contender => ({
  ...carillon,
  async open(servers) {
    const { pool, bells, close } = await openSite(servers);
    // Resets the counts of the receiver, which an aborted round may have left.
    await readReceived(url);
    return {
      crew: workerCrew({ ORIGIN_CONCURRENCY: String(CONNECTIONS_EACH) }),
      async seed(jobs) {
        const nowAt = Date.now();
        await insertSchedules(pool, jobs, (job) => {
          const rule = { at: new Date(job.at).toISOString() };
          return draft(
            { id: `job-${job.n}`, rule, target: { type: 'webhook', url, headers: {} }, payload: job },
            nowAt,
          );
        });
        await bells.arm(jobs.slice(0, 1).map(({ at }) => at));
      },
      areJobsDone: () => areAllOneShotsDone(pool),
      findFaults: (jobs) => findDeliveryFaults(pool, jobs),
      close,
    };
  },
});

async function sendAlone(arena: Arena, url: string, count: number): Promise<number> {
  const crew = await Crew.start({
    main: fileURLToPath(new URL('../players/undici.js', import.meta.url)),
    processes: PLAYERS_EACH,
    env: {
      DATABASE_URL: arena.databaseUrl,
      REDIS_URL: arena.redisUrl,
      RECEIVER_URL: url,
      BENCH_JOBS: String(count),
    },
  });
  try {
    const startedAt = performance.now();
    crew.tell('go');
    await waitUntil(() => crew.handled >= count, {
      everyMs: 5,
      withinMs: ROUND_TIMEOUT_MS,
      what: 'undici alone',
    });
    const tookMs = performance.now() - startedAt;
    const faults = faultsIn(
      await crew.report(),
      Array.from({ length: count }, (_, n) => ({ n, at: 0 })),
    );
    if (faults.length > 0) throw new Error(`it did not hold: ${faults.join('; ')}`);
    return tookMs;
  } finally {
    await crew.end();
  }
}

async function checkReceived(url: string, count: number): Promise<void> {
  const { received, distinct } = await readReceived(url);
  if (received !== count || distinct !== count)
    throw new Error(`the receiver got ${received} webhooks, ${distinct} distinct, of ${count}`);
}

async function readReceived(url: string): Promise<{ received: number; distinct: number }> {
  const response = await fetch(url);
  return (await response.json()) as { received: number; distinct: number };
}
