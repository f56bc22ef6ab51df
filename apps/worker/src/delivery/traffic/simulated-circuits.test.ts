import {
  type CircuitChange,
  closingOf,
  GIVE_UP_AFTER_MS,
  type Outcome,
  type SimulatedRun,
  type Simulation,
  simulate,
  spreadOf,
} from '@carillon/shared';
import { draft } from '@carillon/testkit';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Metrics } from '../../metrics.js';
import { Traffic } from './traffic.js';

// Time passes only when a test advances it, however busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const T0 = Date.parse('2026-03-02T10:00:00Z');
const ORIGIN = 'https://down.example.com';
const CIRCUIT_OPEN_MS = 10_000;
const FAILED: Outcome = {
  kind: 'failed',
  isTransient: true,
  errorCode: 'error',
  error: 'the receiver is down',
};

interface Story {
  /** The interval between two occurrences, in seconds. */
  every: number;
  maxAttempts: number;
  downFrom: number;
  downTo: number;
  /** The time that a successful delivery takes. */
  runMs: number;
  minutes: number;
}

type Change = Pick<CircuitChange, 'at' | 'kind'>;
type Fate = Pick<SimulatedRun, 'occurrenceAt' | 'status' | 'attempts' | 'deferrals'>;

const schedule = ({ every, maxAttempts }: Story) =>
  draft(
    {
      id: 'hook',
      rule: { every: `PT${every}S` },
      retry: { maxAttempts, baseDelay: 'PT7S', jitter: false },
      target: { type: 'webhook', url: `${ORIGIN}/hook`, headers: {} },
    },
    T0,
  );

function simulated(story: Story): Simulation {
  const { key, timing, plan, first } = schedule(story);
  const { downFrom, downTo, runMs, minutes } = story;
  const steps = simulate(
    [{ key, timing, plan, next: first, runsTotal: 0, isPaused: false, pausedUntilAt: null }],
    {
      fromAt: T0,
      toAt: T0 + minutes * 60_000,
      outages: [{ fromAt: T0 + downFrom * 1_000, toAt: T0 + downTo * 1_000, receiver: ORIGIN }],
      runMs,
      circuitOpenMs: CIRCUIT_OPEN_MS,
      maxSteps: 100_000,
    },
  );
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

const MESSAGES: Record<string, CircuitChange['kind']> = {
  'Circuit opened: the origin keeps failing': 'opened',
  'Circuit half open: one delivery probes the origin': 'half_open',
  'Circuit open again: the probe failed': 'opened_again',
  'Circuit closed': 'closed',
};

/**
 * Sends the runs of the simulation through the circuit breakers of a worker, and reads the changes of the breakers from
 * its log.
 */
async function played(
  story: Story,
  occurrences: readonly number[],
): Promise<{ changes: Change[]; fates: Fate[] }> {
  const { plan } = schedule(story);
  const { downFrom, downTo, runMs, minutes } = story;
  const base = performance.now();
  const now = () => T0 + performance.now() - base;
  const changes: Change[] = [];
  const write = (line: string) => {
    const kind = MESSAGES[JSON.parse(line).msg];
    if (kind) changes.push({ at: now(), kind });
  };
  let current: Fate | undefined;
  const traffic = new Traffic({
    settings: { trafficOf: async () => ({ rate: null, gate: null }) },
    originConcurrency: 1_000,
    circuitOpenMs: CIRCUIT_OPEN_MS,
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    metrics: new Metrics(),
    log: pino({ level: 'debug' }, { write }),
    random: () => spreadOf({ schedule: 'hook', ...(current as Fate) }),
  });
  // Events at the same instant have the same order as in the simulation: first deliveries end, then due occurrences
  // start, and then waiting runs start again.
  let events: { at: number; rank: number; act: () => void }[] = [];
  const attempt = (fate: Fate) => {
    current = fate;
    const deliver = async (): Promise<Outcome> => {
      fate.attempts++;
      if (now() >= T0 + downFrom * 1_000 && now() < T0 + downTo * 1_000) return FAILED;
      return new Promise((resolve) => {
        events.push({ at: now() + runMs, rank: 0, act: () => resolve({ kind: 'succeeded' }) });
      });
    };
    const { signal } = new AbortController();
    traffic.pass({ projectId: 1, origin: ORIGIN, timeoutMs: 60_000, signal }, deliver).then((outcome) => {
      const closing = closingOf(outcome, { retry: plan.retry, attempt: fate.attempts, random: 0 });
      if (outcome.kind === 'deferred') fate.deferrals++;
      if (closing.status === 'retrying')
        events.push({ at: now() + closing.retryInMs, rank: 2, act: () => attempt(fate) });
      else fate.status = closing.status;
    });
  };
  const fates = occurrences.map((occurrenceAt): Fate => {
    const fate: Fate = { occurrenceAt, status: 'open', attempts: 0, deferrals: 0 };
    events.push({ at: occurrenceAt, rank: 1, act: () => attempt(fate) });
    return fate;
  });
  for (;;) {
    events = events.toSorted((a, b) => a.at - b.at || a.rank - b.rank);
    const next = events.shift();
    if (!next || next.at > T0 + minutes * 60_000) return { changes, fates };
    vi.advanceTimersByTime(next.at - now());
    next.act();
    await new Promise(setImmediate);
  }
}

it.each<[string, Story]>([
  [
    'an outage of eight minutes, with probes that fail',
    { every: 1, maxAttempts: 3, downFrom: 30, downTo: 510, runMs: 0, minutes: 15 },
  ],
  [
    'slow deliveries, so that others wait while a probe is under way',
    { every: 2, maxAttempts: 2, downFrom: 40, downTo: 130, runMs: 3_500, minutes: 6 },
  ],
  [
    'an outage that is too short to open the circuit',
    { every: 5, maxAttempts: 2, downFrom: 30, downTo: 70, runMs: 100, minutes: 3 },
  ],
])(
  'the circuit breaker of a worker and that of the simulation open, probe and close at the same instants: %s',
  async (_, story) => {
    const { runs, circuitChanges } = simulated(story);
    const { changes, fates } = await played(
      story,
      runs.map(({ occurrenceAt }) => occurrenceAt),
    );
    expect(changes).toEqual(circuitChanges.map(({ at, kind }) => ({ at, kind })));
    const kinds = new Set(changes.map(({ kind }) => kind));
    expect(kinds.size).toBe(story.every === 5 ? 0 : 4);
    expect(fates).toEqual(
      runs.map(({ occurrenceAt, status, attempts, deferrals }) => ({
        occurrenceAt,
        status,
        attempts,
        deferrals,
      })),
    );
  },
);
