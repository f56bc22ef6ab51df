import { compareRounds } from '../before/comparison.js';
import { BEFORE } from '../before/earlier-carillon.js';
import type { Contender } from '../contenders/contender.js';
import { contenders } from '../contenders/index.js';
import { number, percent, ratio } from '../harness/format.js';
import { runOneShots } from '../harness/one-shots.js';
import { type Goal, interleave, type Race, type Rounds } from '../harness/race.js';
import { median, percentile, spread } from '../harness/statistics.js';
import type { Plot } from '../report/plot.js';

const FIRES_PER_SECOND = 500;
const P50_GOAL_MS = 10;
const P99_GOAL_MS = 30;

interface Sample {
  p50: number;
  p99: number;
  latest: number;
  latenessMs: Int32Array;
}

/** Jobs are due at random instants. Measures how punctual each contender is. */
export const steady: Race = {
  name: 'steady',
  work: `for 60 s, ${FIRES_PER_SECOND} one-shots a second are due, each at a random millisecond. The race measures how late their handlers began`,
  rounds: 3,
  canCompare: true,
  async run(context) {
    const seconds = context.isQuick ? 2 : 60;
    const count = FIRES_PER_SECOND * seconds;
    // In a quick run only Carillon and BullMQ take part, because the goal of this race compares these two. The race
    // `herd` has already shown that the other contenders run.
    const isIn = ({ name }: Contender) => !context.isQuick || ['Carillon', BEFORE, 'BullMQ'].includes(name);
    const entrants = contenders(context).filter(isIn);
    const all = await interleave(context, entrants, async (contender): Promise<Sample> => {
      const { latenessMs } = await runOneShots(context.arena, contender, {
        jobsFrom: (startAt) =>
          Array.from({ length: count }, (_, n) => ({
            n,
            at: startAt + Math.floor(Math.random() * seconds * 1_000),
          })),
        withinMs: (seconds + 120) * 1_000,
      });
      const sample = summary(latenessMs);
      context.say(`  ${contender.name}: p50 ${number(sample.p50)} ms, p99 ${number(sample.p99)} ms`);
      return sample;
    });
    const held = all.filter(({ refused }) => !refused);
    return {
      head: ['', 'p50 ms', 'p99 ms', 'latest ms', 'spread of p50', 'p50 of Carillon’s'],
      rows: held.map((rounds) => toRow(rounds, p50Of(all[0]))),
      goals: goalsOf(held),
      notes: (['p50', 'p99'] as const).flatMap((figure) =>
        compareRounds(`Lateness at ${figure}`, {
          now: all[0],
          before: all.find(({ contender }) => contender.name === BEFORE),
          figureOf: (sample) => sample[figure],
        }),
      ),
      plots: [latenessPlot(held)],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};

const summary = (latenessMs: Int32Array): Sample => ({
  p50: percentile(latenessMs, 0.5),
  p99: percentile(latenessMs, 0.99),
  latest: percentile(latenessMs, 1),
  latenessMs,
});

type SteadyRounds = Rounds<Contender, Sample>;

const p50Of = (rounds: SteadyRounds | undefined) => median(rounds?.samples.map((sample) => sample.p50) ?? []);
const p99Of = (rounds: SteadyRounds | undefined) => median(rounds?.samples.map((sample) => sample.p99) ?? []);

function toRow(rounds: SteadyRounds, ours: number): string[] {
  const { contender, samples } = rounds;
  return [
    `${contender.name} ${contender.version}`,
    number(p50Of(rounds)),
    number(p99Of(rounds)),
    number(median(samples.map((sample) => sample.latest))),
    percent(spread(samples.map((sample) => sample.p50))),
    ratio(p50Of(rounds) / ours),
  ];
}

function goalsOf(held: readonly SteadyRounds[]): Goal[] {
  const [ours, bullmq] = ['Carillon', 'BullMQ'].map((name) =>
    held.find(({ contender }) => contender.name === name),
  );
  if (!ours) return [];
  const [p50, p99] = [p50Of(ours), p99Of(ours)];
  const share = p50 / p50Of(bullmq);
  return [
    { goal: `p50 ≤ ${P50_GOAL_MS} ms`, figure: `${number(p50)} ms`, isMet: p50 <= P50_GOAL_MS },
    { goal: `p99 ≤ ${P99_GOAL_MS} ms`, figure: `${number(p99)} ms`, isMet: p99 <= P99_GOAL_MS },
    ...(bullmq
      ? [{ goal: 'p50 ≤ a quarter of BullMQ’s', figure: percent(share), isMet: share <= 0.25 }]
      : []),
  ];
}

/** Plots, for each contender, which share of the jobs was at most a given number of milliseconds late. */
function latenessPlot(held: readonly SteadyRounds[]): Plot {
  const shares = [
    0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999,
  ];
  return {
    name: 'lateness',
    title: `How late jobs began, ${FIRES_PER_SECOND} a second`,
    x: { label: 'milliseconds late', scale: 'log' },
    y: { label: 'share of jobs begun, %', scale: 'linear' },
    lines: held.map(({ contender, samples }) => {
      const all = samples.flatMap(({ latenessMs }) => [...latenessMs]);
      return {
        label: contender.name,
        // A logarithmic axis can't show zero.
        points: shares.map((share) => [Math.max(percentile(all, share), 0.5), share * 100]),
      };
    }),
  };
}
