import type { Contender } from '../contenders/contender.js';
import type { Arena } from './arena.js';
import { Crew, type CrewReport } from './crew.js';
import type { Job } from './tally.js';
import { sleep, waitUntil } from './wait.js';

export interface OneShotRound {
  /** From the instant at which the first job was due to the last one done and written. */
  tookMs: number;
  latenessMs: Int32Array;
}

/** Between the last process that is ready and the first job: whatever they do at their start is over by then. */
const BREATH_MS = 1_000;
const MOST_TRIES = 5;

/** For vacuum, checkpoint and the start of the processes. Doubled where it was too short: a machine that is slow stays so. */
let serversMs = 3_000;

interface RoundOptions {
  /** The jobs of the round, given when it starts. */
  jobsFrom: (startAt: number) => Job[];
  /** How long the round may take before it counts as lost. */
  withinMs: number;
  /** The worker processes do not tally: what the contender's store and the race's own check say must do. */
  isCountedElsewhere?: boolean;
}

/** One round of one contender: its jobs written down, its processes started, then the wait for the instant. */
export async function runOneShots(
  arena: Arena,
  contender: Contender,
  options: RoundOptions,
): Promise<OneShotRound> {
  const count = options.jobsFrom(0).length;
  for (let tries = 1; tries <= MOST_TRIES; tries++, serversMs *= 2) {
    const leadMs = contender.seedMs(count) * tries + serversMs;
    const round = await tryOneShots(arena, contender, { ...options, leadMs });
    if (round) return round;
  }
  throw new Error(`it could not be made ready in ${serversMs / 2} ms`);
}

/** Answers null where not all was ready when the first job fell due: that would not be a race. */
async function tryOneShots(
  arena: Arena,
  contender: Contender,
  { jobsFrom, withinMs, isCountedElsewhere = false, leadMs }: RoundOptions & { leadMs: number },
): Promise<OneShotRound | null> {
  const servers = { databaseUrl: await arena.clear(), redisUrl: arena.redisUrl };
  const stage = await contender.open(servers);
  let crew: Crew | null = null;
  try {
    const startAt = Date.now() + leadMs + BREATH_MS;
    const jobs = jobsFrom(startAt);
    await stage.seed(jobs);
    await arena.settle(servers.databaseUrl);
    const env = {
      ...stage.crew.env,
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: servers.redisUrl,
      BENCH_JOBS: String(jobs.length),
    };
    crew = await Crew.start({ ...stage.crew, env });
    if (Date.now() > startAt - BREATH_MS) return null;
    const firstAt = jobs.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
    await sleep(firstAt - Date.now());
    if (!isCountedElsewhere) await waitForAll(crew, jobs.length, withinMs);
    // Asking is work for the same Postgres: where it is asked from the start, not too often.
    const everyMs = isCountedElsewhere ? 50 : 5;
    await waitUntil(() => stage.isSettled(), { everyMs, withinMs, what: `${contender.name} settles` });
    const tookMs = Date.now() - firstAt;
    const report = await crew.report();
    await crew.end();
    const tallied = isCountedElsewhere ? [] : faultsIn(report, jobs);
    const faults = [...tallied, ...(await stage.findFaults(jobs))];
    if (faults.length > 0) throw new Error(`it did not hold: ${faults.join('; ')}`);
    return { tookMs, latenessMs: report.latenessMs };
  } finally {
    await crew?.end();
    await stage.close();
  }
}

function waitForAll(crew: Crew, count: number, withinMs: number): Promise<void> {
  const areAllHandled = () => {
    if (crew.failure) throw new Error(crew.failure);
    return crew.handled >= count;
  };
  return waitUntil(areAllHandled, { everyMs: 5, withinMs, what: `${count} jobs handled` });
}

/** By what the handlers saw: each job once, and none before its time. */
export function faultsIn({ seen, latenessMs }: CrewReport, jobs: readonly Job[]): string[] {
  const lost = jobs.filter(({ n }) => seen[n] === 0).length;
  const repeated = jobs.filter(({ n }) => (seen[n] ?? 0) > 1).length;
  const early = jobs.filter(({ n }) => (latenessMs[n] ?? 0) < 0).length;
  return [
    ...(lost > 0 ? [`${lost} jobs never came`] : []),
    ...(repeated > 0 ? [`${repeated} jobs came more than once`] : []),
    ...(early > 0 ? [`${early} jobs came early`] : []),
  ];
}
