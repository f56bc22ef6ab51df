import type { ClaimedRun } from '@carillon/db';
import { HOUR_MS, MINUTE_MS, type Outcome } from '@carillon/shared';
import { type EndedDelivery, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { Traffic } from '../../apps/worker/src/delivery/traffic/traffic.js';
import { Metrics } from '../../apps/worker/src/metrics.js';
import { checkAttempts } from './checks/attempts.js';
import { readFacts } from './checks/facts.js';
import { checkOccurrences } from './checks/occurrences.js';
import { isChosen, SEEDS } from './config.js';
import { record } from './harness/play.js';
import { Random } from './harness/random.js';

const database = useDatabase();
const engine = useEngine(database);

const T0 = Date.parse('2026-03-02T10:00:00Z');
const ORIGIN_CONCURRENCY = 100;
const ANSWER_MS = 100;
const REFUSED: Outcome = {
  kind: 'failed',
  isTransient: true,
  errorCode: 'connection_refused',
  error: 'connection refused',
};

/**
 * Three workers and a receiver, on a simulated clock. The statements of the engine and the traffic control of the
 * workers (circuit breakers and limits) are the real ones.
 */
class World {
  isUp = false;
  readonly sentAts: number[] = [];
  mostAtOnce = 0;
  #atOnce = 0;
  readonly #done: EndedDelivery[] = [];
  readonly #workers: Traffic[];

  constructor(private readonly random: Random) {
    const log = { debug: () => {}, info: () => {}, warn: () => {} } as never;
    const settings = { trafficOf: async () => ({ rate: null, gate: null }) };
    const limits = {
      originConcurrency: ORIGIN_CONCURRENCY,
      circuitOpenMs: 10_000,
      giveUpAfterMs: 24 * HOUR_MS,
    };
    this.#workers = Array.from(
      { length: 3 },
      () => new Traffic({ ...limits, settings, log, metrics: new Metrics() }),
    );
  }

  get now(): number {
    return T0 + Math.round(performance.now());
  }

  async go(untilAt: number, stepMs: number): Promise<void> {
    while (this.now < untilAt) {
      for (const run of await engine.claim(this.now, 2_000)) this.#deliver(run);
      await vi.advanceTimersByTimeAsync(stepMs);
      if (this.#done.length > 0) await engine.closeAll(this.#done.splice(0), this.now);
    }
  }

  #deliver(run: ClaimedRun): void {
    const passage = { projectId: 1, origin: 'http://down.example', timeoutMs: 15_000 };
    const { signal } = new AbortController();
    this.random
      .pick(this.#workers)
      .pass({ ...passage, signal }, () => this.#send())
      .then((outcome) => this.#done.push({ run, outcome }));
  }

  async #send(): Promise<Outcome> {
    this.sentAts.push(this.now);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce);
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    this.#atOnce--;
    return this.isUp ? { kind: 'succeeded' } : REFUSED;
  }
}

afterEach(() => {
  vi.useRealTimers();
});

const mostPerSecond = (ats: readonly number[]) => {
  const counts = new Map<number, number>();
  for (const at of ats) counts.set(Math.floor(at / 1_000), (counts.get(Math.floor(at / 1_000)) ?? 0) + 1);
  return Math.max(0, ...counts.values());
};

const scenario = {
  number: 17,
  fault: 'a receiver is down for an hour (on a simulated clock) and then up again',
  holds: 'the receiver gets few requests while it is down, and no burst of requests when it is back',
};

it.runIf(isChosen(scenario.number)).each(SEEDS)(
  `fault 17, ${scenario.fault}: ${scenario.holds} (seed %i)`,
  {
    timeout: 240_000,
  },
  async (seed) => {
    const random = new Random(seed * 100 + scenario.number);
    const startedAt = performance.now();
    const tables = 'schedules agenda schedule_versions runs attempts gaps leases'.split(' ');
    await database.pool.query(`truncate ${tables.map((table) => `carillon.${table}`).join()}`);
    const count = random.integer(8, 15);
    for (let made = 0; made < count; made++) {
      const nowAt = T0 - random.integer(0, MINUTE_MS - 1);
      await insertSchedules(database, [{ rule: { every: 'PT1M' } }], { nowAt });
    }
    const simulated = [new Date(T0 - MINUTE_MS)];
    await database.pool.query('update carillon.schedules set defined_at = $1', simulated);

    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const world = new World(random);
    await world.go(T0 + HOUR_MS, 15_000);
    const whileDown = world.sentAts.length;
    world.isUp = true;
    const upAt = world.now;
    await world.go(upAt + 4 * MINUTE_MS, 500);
    vi.useRealTimers();

    const facts = await readFacts(
      { pool: database.pool, receiver: { log: [] } },
      { sinceId: 0, sinceAuditId: 0 },
    );
    const { violations, named, lost, doubled } = checkOccurrences(facts);
    violations.push(...checkAttempts(facts));
    const runs = [...facts.runs.values()].flat();
    const recoveryMs = Math.max(...world.sentAts.filter((at) => at < upAt + 3 * MINUTE_MS)) - upAt;
    await record(scenario, {
      seed,
      faults: 1,
      tookMs: performance.now() - startedAt,
      violations,
      named,
      lost,
      duplicated: doubled,
      fired: runs.length,
      redelivered: 0,
      unknown: 0,
      recoveryMs,
      // The clock is simulated, so lateness in real time would mean nothing.
      lateness: { during: [], after: [] },
    });
    expect(violations).toEqual([]);
    expect(named).toBeGreaterThanOrEqual(count * 60);
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['succeeded', 'failed']));
    // The circuit breaker of each worker opens after twenty failures, and then lets only a single request through from
    // time to time. So far fewer requests are sent than runs were due.
    expect(whileDown).toBeLessThan((count * 60) / 3);
    // When the receiver is back, the backlog of an hour is not sent within a second, and each worker keeps to its limit
    // of concurrent requests per origin.
    expect(mostPerSecond(world.sentAts.filter((at) => at >= upAt))).toBeLessThan((count * 60) / 4);
    expect(world.mostAtOnce).toBeLessThanOrEqual(3 * ORIGIN_CONCURRENCY);
  },
);
