import type { ScheduleInput } from '@carillon/shared';
import type { Arena } from '../harness/arena.js';
import { apiCrew, onSite } from '../harness/carillon.js';
import { Crew } from '../harness/crew.js';
import { draft, insertSchedules } from '../harness/drafts.js';
import { number } from '../harness/format.js';
import { interleave, type Race } from '../harness/race.js';
import { median } from '../harness/statistics.js';
import { analyzeSchedules } from '../harness/tables.js';
import { sleep } from '../harness/wait.js';

const SCHEDULES = 200_000;
const GOAL_MS = 200;
const HOUR_MS = 3_600_000;
const KEPT = 'forecast';
const KEY = 'ck_bench_admin_key_0123456789';

/** The response times of an API process that has just started. */
interface Times {
  /** The response time of the first request, and whether its answer counted every fire. */
  coldMs: number;
  isColdComplete: boolean;
  /** The time from the first request until the first complete answer. */
  completeAfterMs: number;
  warmMs: number;
  minuteMs: number;
}

/** Measures how long a newly started API takes for the forecast of many schedules. */
export const forecast: Race = {
  name: 'forecast',
  work: `an API that has just started answers GET /v1/forecast for ${number(SCHEDULES)} schedules: half of them daily, a third hourly, the rest one-shots and intervals with an anchor of their own`,
  rounds: 5,
  async run(context) {
    const count = context.isQuick ? 2_000 : SCHEDULES;
    await seed(context.arena, count);
    try {
      const [rounds] = await interleave(context, [{ name: 'Carillon' }], () => ask(context.arena));
      const samples = rounds?.samples ?? [];
      const of = (pick: (times: Times) => number) => median(samples.map(pick));
      const cold = of(({ coldMs }) => coldMs);
      const complete = samples.filter(({ isColdComplete }) => isColdComplete).length;
      return {
        head: ['', 'ms'],
        rows: [
          ['first answer of a new process', number(cold)],
          ['until an answer is complete', number(of(({ completeAfterMs }) => completeAfterMs))],
          ['answer of a warm process', number(of(({ warmMs }) => warmMs))],
          ['what makes up a minute', number(of(({ minuteMs }) => minuteMs))],
        ],
        goals: [{ goal: `first answer ≤ ${GOAL_MS} ms`, figure: number(cold), isMet: cold <= GOAL_MS }],
        notes: [`The first answer was complete in ${complete} of ${samples.length} rounds.`],
        plots: [],
        refused: rounds?.refused ? [rounds.refused] : [],
      };
    } finally {
      await context.arena.forget(KEPT);
    }
  },
};

async function seed(arena: Arena, count: number): Promise<void> {
  await onSite(arena, async ({ pool, env }) => {
    const nowAt = Date.now();
    const items = Array.from({ length: count }, (_, n) => n);
    await insertSchedules(pool, items, (n) => draft({ id: `s-${n}`, rule: ruleOf(n, nowAt) }, nowAt - n));
    await analyzeSchedules(pool);
    await arena.settle(env.DATABASE_URL);
  });
  await arena.keep(KEPT);
}

function ruleOf(n: number, nowAt: number): ScheduleInput['rule'] {
  const minute = (n * 7) % 60;
  if (n % 20 < 10) return { cron: `${minute} ${(n * 13) % 24} * * *` };
  if (n % 20 < 16) return { cron: `${minute} * * * *` };
  if (n % 20 < 19) return { at: new Date(nowAt + HOUR_MS + n * 500).toISOString() };
  return { every: 'PT6H' };
}

async function ask(arena: Arena): Promise<Times> {
  const databaseUrl = await arena.clear(KEPT);
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: arena.redisUrl, CARILLON_ADMIN_KEY: KEY };
  const crew = await Crew.start(apiCrew(env));
  const url = /"url":"([^"]+)"/.exec(crew.outputs[0] ?? '')?.[1] ?? '';
  const get = async (path: string) => {
    const startedAt = performance.now();
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${KEY}` } });
    const body = (await response.json()) as { complete?: boolean; total?: number };
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return { tookMs: performance.now() - startedAt, isComplete: body.complete === true };
  };
  try {
    await get('/v1/me');
    const startedAt = performance.now();
    const cold = await get('/v1/forecast');
    let latest = cold;
    while (!latest.isComplete) {
      await sleep(20);
      latest = await get('/v1/forecast');
    }
    const completeAfterMs = performance.now() - startedAt;
    const warm = await get('/v1/forecast');
    const at = new Date(Date.now() + 3 * HOUR_MS).toISOString();
    const minute = await get(`/v1/forecast/minute?at=${at}`);
    return {
      coldMs: cold.tookMs,
      isColdComplete: cold.isComplete,
      completeAfterMs,
      warmMs: warm.tookMs,
      minuteMs: minute.tookMs,
    };
  } finally {
    await crew.end();
  }
}
