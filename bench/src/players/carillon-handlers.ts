import { defineHandler } from '@carillon/worker';
import { type Job, Tally } from '../harness/tally.js';

// CARILLON_HANDLERS loads this file into Carillon's own worker process.
const tally = new Tally(Number(process.env.BENCH_JOBS));
defineHandler('bench', ({ payload }) => tally.mark(payload as Job));
defineHandler('bench-every-second', ({ payload, occurrenceAt }) => {
  const { n, fromAt, schedules } = payload as { n: number; fromAt: number; schedules: number };
  const at = occurrenceAt.getTime();
  tally.mark({ n: n + (schedules * (at - fromAt)) / 1_000, at });
});
