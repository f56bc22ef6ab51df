import { openDatabase, storeForecast } from '@carillon/db';
import { HOUR_MS, type ScheduleInput } from '@carillon/shared';
import type { Arena } from '../harness/arena.js';
import { apiCrew, onSite } from '../harness/carillon.js';
import { closePool, reportConnectionError } from '../harness/connections.js';
import { Crew } from '../harness/crew.js';
import { draft, insertSchedules, PROJECT_ID } from '../harness/drafts.js';
import { number } from '../harness/format.js';
import { interleave, type Race } from '../harness/race.js';
import { median } from '../harness/statistics.js';
import { analyzeSchedules } from '../harness/tables.js';
import { sleep } from '../harness/wait.js';

const SCHEDULES = 200_000;
const GOAL_MS = 200;
const KEPT_DATABASE = 'forecast';
const KEY = 'ck_bench_admin_key_0123456789';

/** The response times of an API process that has just started. */
interface Times {
  /** The response time of the first request, and whether its answer counted every fire. */
  coldMs: number;
  isColdComplete: boolean;
  /**
   * The response time of the first request for the schedules that fire in one minute, and whether its answer has looked
   * at every schedule.
   */
  minuteMs: number;
  isMinuteComplete: boolean;
  /** The time from the first request until the first complete answer. */
  completeAfterMs: number;
  warmMs: number;
}

interface Round {
  /** How long a worker takes to compute and store the forecast. */
  storeMs: number;
  /** The response times if a worker has stored the forecast before the API starts. */
  stored: Times;
  /** The response times if no worker has run, so that the API has to compute the forecast itself. */
  alone: Times;
}

/** Measures how long a newly started API takes for the forecast of many schedules. */
export const forecast: Race = {
  name: 'forecast',
  work: `an API that has just started answers GET /v1/forecast for ${number(SCHEDULES)} schedules: half of them daily, a third hourly, the rest one-shots and intervals with an anchor of their own. Once a worker has stored the forecast before, and once no worker has`,
  rounds: 5,
  async run(context) {
    const count = context.isQuick ? 2_000 : SCHEDULES;
    await seed(context.arena, count);
    try {
      const [rounds] = await interleave(context, [{ name: 'Carillon' }], () => measure(context.arena));
      const samples = rounds?.samples ?? [];
      const of = (pick: (round: Round) => number) => median(samples.map(pick));
      const cold = of(({ stored }) => stored.coldMs);
      const minute = of(({ stored }) => stored.minuteMs);
      const isComplete = samples.every(({ stored }) => stored.isColdComplete);
      const isMinuteComplete = samples.every(({ stored }) => stored.isMinuteComplete);
      const row = (name: string, pick: (times: Times) => number) => [
        name,
        number(of(({ stored }) => pick(stored))),
        number(of(({ alone }) => pick(alone))),
      ];
      return {
        head: ['ms', 'stored by a worker', 'no worker'],
        rows: [
          row('first answer of a new process', ({ coldMs }) => coldMs),
          row('until an answer is complete', ({ completeAfterMs }) => completeAfterMs),
          row('what makes up a minute, first answer', ({ minuteMs }) => minuteMs),
          row('answer of a warm process', ({ warmMs }) => warmMs),
        ],
        goals: [
          {
            goal: `first answer, complete ≤ ${GOAL_MS} ms`,
            figure: isComplete ? number(cold) : 'incomplete',
            isMet: isComplete && cold <= GOAL_MS,
          },
          {
            goal: `what makes up a minute, complete ≤ ${GOAL_MS} ms`,
            figure: isMinuteComplete ? number(minute) : 'incomplete',
            isMet: isMinuteComplete && minute <= GOAL_MS,
          },
        ],
        notes: [`A worker computes and stores the forecast in ${number(of(({ storeMs }) => storeMs))} ms.`],
        plots: [],
        refused: rounds?.refused ? [rounds.refused] : [],
      };
    } finally {
      await context.arena.forget(KEPT_DATABASE);
    }
  },
};

async function seed(arena: Arena, count: number): Promise<void> {
  await onSite(arena, async ({ pool, env }) => {
    const nowAt = Date.now();
    const items = Array.from({ length: count }, (_, n) => n);
    await insertSchedules(pool, items, (n) => draft({ id: `s-${n}`, rule: ruleOf(n, nowAt) }, nowAt - n));
    await analyzeSchedules(pool);
    await arena.maintain(env.DATABASE_URL);
  });
  await arena.keep(KEPT_DATABASE);
}

function ruleOf(n: number, nowAt: number): ScheduleInput['rule'] {
  const minute = (n * 7) % 60;
  if (n % 20 < 10) return { cron: `${minute} ${(n * 13) % 24} * * *` };
  if (n % 20 < 16) return { cron: `${minute} * * * *` };
  if (n % 20 < 19) return { at: new Date(nowAt + HOUR_MS + n * 500).toISOString() };
  return { every: 'PT6H' };
}

async function measure(arena: Arena): Promise<Round> {
  const databaseUrl = await arena.clear(KEPT_DATABASE);
  const pool = openDatabase({
    url: databaseUrl,
    max: 2,
    applicationName: 'carillon-bench',
    queryTimeoutMs: 60_000,
    onError: reportConnectionError,
  });
  try {
    const startedAt = performance.now();
    await storeForecast(pool, { projectId: PROJECT_ID, nowAt: Date.now() });
    const storeMs = performance.now() - startedAt;
    const stored = await ask(arena, databaseUrl);
    await pool.query('delete from carillon.forecasts');
    return { storeMs, stored, alone: await ask(arena, databaseUrl) };
  } finally {
    await closePool(pool);
  }
}

async function ask(arena: Arena, databaseUrl: string): Promise<Times> {
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: arena.redisUrl, CARILLON_ADMIN_KEY: KEY };
  const crew = await Crew.start(apiCrew(env));
  const url = /"url":"([^"]+)"/.exec(crew.outputs[0] ?? '')?.[1] ?? '';
  const get = async (path: string) => {
    const startedAt = performance.now();
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${KEY}` } });
    const body = (await response.json()) as { complete?: boolean };
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return { tookMs: performance.now() - startedAt, isComplete: body.complete === true };
  };
  try {
    await get('/v1/me');
    const startedAt = performance.now();
    const cold = await get('/v1/forecast');
    const at = new Date(Date.now() + 3 * HOUR_MS).toISOString();
    const minute = await get(`/v1/forecast/minute?at=${at}`);
    let latest = cold;
    while (!latest.isComplete) {
      await sleep(20);
      latest = await get('/v1/forecast');
    }
    const completeAfterMs = cold.isComplete ? cold.tookMs : performance.now() - startedAt;
    const warm = await get('/v1/forecast');
    return {
      coldMs: cold.tookMs,
      isColdComplete: cold.isComplete,
      minuteMs: minute.tookMs,
      isMinuteComplete: minute.isComplete,
      completeAfterMs,
      warmMs: warm.tookMs,
    };
  } finally {
    await crew.end();
  }
}
