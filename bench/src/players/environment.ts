import { Tally } from '../harness/tally.js';

/** The settings that the bench passes to this process. */
export function readOrders() {
  const { DATABASE_URL, REDIS_URL, BENCH_JOBS, BENCH_INDEX, BENCH_PROCESSES } = process.env;
  if (!DATABASE_URL || !REDIS_URL || !BENCH_JOBS) throw new Error('to be started by the bench');
  return {
    databaseUrl: DATABASE_URL,
    redisUrl: REDIS_URL,
    jobs: Number(BENCH_JOBS),
    /** The index of this process among the worker processes of its contender. */
    index: Number(BENCH_INDEX),
    processes: Number(BENCH_PROCESSES),
    tally: new Tally(Number(BENCH_JOBS)),
  };
}

/** Exits at once on SIGTERM, because nothing has to be saved after a round. */
export const endOnSignal = () => process.on('SIGTERM', () => process.exit(0));
