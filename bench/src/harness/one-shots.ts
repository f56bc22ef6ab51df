import type { Contender } from '../contenders/contender.js';
import type { Arena } from './arena.js';
import { Crew, type CrewReport } from './crew.js';
import type { Job } from './tally.js';
import { sleep, waitUntil } from './wait.js';

export interface OneShotRound {
  /** The time from the due time of the first job until the last job is done and its result is stored. */
  tookMs: number;
  latenessMs: Int32Array;
}

/**
 * The pause between the start of the last process and the first job. In it, the processes finish their start-up work.
 */
const START_UP_MARGIN_MS = 1_000;
const MAX_TRIES = 5;

/**
 * Estimated time for vacuum, checkpoint and the start of the processes. If it was too short for a round, it stays
 * doubled for all later rounds, because a slow machine stays slow.
 */
let serversMs = 3_000;

interface RoundOptions {
  /** Makes the jobs of the round once its start time is known. */
  jobsFrom: (startAt: number) => Job[];
  /** Maximum duration of the round. */
  withinMs: number;
  /**
   * True if the worker processes do not count jobs. Then the stored results, and the race's own check, have to prove
   * that all jobs ran.
   */
  isCountedElsewhere?: boolean;
}

/** Runs one round of one contender: stores its jobs, starts its processes, and waits until all jobs are done. */
export async function runOneShots(
  arena: Arena,
  contender: Contender,
  options: RoundOptions,
): Promise<OneShotRound> {
  const count = options.jobsFrom(0).length;
  for (let tries = 1; tries <= MAX_TRIES; tries++, serversMs *= 2) {
    const leadMs = contender.seedMs(count) * tries + serversMs;
    const round = await tryOneShots(arena, contender, { ...options, leadMs });
    if (round) return round;
  }
  throw new Error(`it could not be made ready in ${serversMs / 2} ms`);
}

/** Tries a round. Returns null if not everything was ready when the first job was due; the round is then repeated. */
async function tryOneShots(
  arena: Arena,
  contender: Contender,
  { jobsFrom, withinMs, isCountedElsewhere = false, leadMs }: RoundOptions & { leadMs: number },
): Promise<OneShotRound | null> {
  const servers = { databaseUrl: await arena.clear(), redisUrl: arena.redisUrl };
  const stage = await contender.open(servers);
  let crew: Crew | null = null;
  try {
    const startAt = Date.now() + leadMs + START_UP_MARGIN_MS;
    const jobs = jobsFrom(startAt);
    await stage.seed(jobs);
    await arena.maintain(servers.databaseUrl);
    const env = {
      ...stage.crew.env,
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: servers.redisUrl,
      BENCH_JOBS: String(jobs.length),
    };
    crew = await Crew.start({ ...stage.crew, env });
    if (Date.now() > startAt - START_UP_MARGIN_MS) return null;
    const firstAt = jobs.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
    await sleep(firstAt - Date.now());
    if (!isCountedElsewhere) await waitForAll(crew, jobs.length, withinMs);
    // Each check costs Postgres time. If the worker processes do not count jobs, the checks run during the whole round,
    // so they must be less frequent.
    const everyMs = isCountedElsewhere ? 50 : 5;
    await waitUntil(() => stage.areJobsDone(), { everyMs, withinMs, what: `${contender.name} settles` });
    const tookMs = Date.now() - firstAt;
    const report = await crew.report();
    await crew.end();
    const tallied = isCountedElsewhere ? [] : faultsIn(report, jobs);
    const faults = [...tallied, ...(await stage.findFaults(jobs, report.latenessMs))];
    if (faults.length > 0) throw new Error(`it did not hold: ${faults.join('; ')}`);
    return { tookMs, latenessMs: report.latenessMs };
  } finally {
    await crew?.end();
    await stage.close();
  }
}

/**
 * The lateness that Carillon stores uses Postgres's clock, which workers estimate; handlers measure by the clock of the
 * machine. On a busy machine the two may differ by this much.
 */
const CLOCK_ERROR_MS = 1_000;

/** Checks that the lateness that Carillon has stored, and shows to its users, is the one that the handlers measured. */
export function latenessFaults(
  stored: readonly { n: number; latenessMs: number | null }[],
  measuredMs: Int32Array,
): string[] {
  const differs = ({ n, latenessMs }: { n: number; latenessMs: number | null }) =>
    latenessMs === null || Math.abs(latenessMs - (measuredMs[n] ?? 0)) > CLOCK_ERROR_MS;
  const count = stored.filter(differs).length;
  return count > 0 ? [`${count} jobs have another lateness in Postgres than in their handler`] : [];
}

function waitForAll(crew: Crew, count: number, withinMs: number): Promise<void> {
  const areAllHandled = () => {
    if (crew.failure) throw new Error(crew.failure);
    return crew.handled >= count;
  };
  return waitUntil(areAllHandled, { everyMs: 5, withinMs, what: `${count} jobs handled` });
}

/** Checks what the handlers have counted: each job must have run once, and none early. */
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
