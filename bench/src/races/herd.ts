import { compareRounds } from '../before/comparison.js';
import { BEFORE } from '../before/earlier-carillon.js';
import type { Contender } from '../contenders/contender.js';
import { contenders } from '../contenders/index.js';
import { number, percent, ratio } from '../harness/format.js';
import { runOneShots } from '../harness/one-shots.js';
import { type Goal, interleave, type Race, type Rounds } from '../harness/race.js';
import { median, percentile, spread } from '../harness/statistics.js';

interface Sample {
  firesPerSecond: number;
  firstMs: number;
  lastMs: number;
}

const GOALS = { 'graphile-worker': 1.5, 'pg-boss': 3, BullMQ: 4 } as Record<string, number>;

/** Makes all jobs due at one instant, and measures how long each contender takes until all of them have run. */
export const herd: Race = {
  name: 'herd',
  work: '100,000 one-shots are due at one instant, and their handler only records their number. The race measures the time from that instant until the last one is done and stored',
  rounds: 5,
  canCompare: true,
  async run(context) {
    const count = context.isQuick ? 2_000 : 100_000;
    const all = await interleave(context, contenders(context), async (contender): Promise<Sample> => {
      const jobs = Math.round(count * contender.share);
      const { tookMs, latenessMs } = await runOneShots(context.arena, contender, {
        jobsFrom: (startAt) => Array.from({ length: jobs }, (_, n) => ({ n, at: startAt })),
        withinMs: 180_000,
      });
      const firesPerSecond = jobs / (tookMs / 1_000);
      context.say(`  ${contender.name}: ${number(firesPerSecond)} a second`);
      return { firesPerSecond, firstMs: percentile(latenessMs, 0), lastMs: percentile(latenessMs, 1) };
    });
    const ours = median(all[0]?.samples.map((sample) => sample.firesPerSecond) ?? []);
    return {
      head: ['', 'fires a second', 'spread', 'Carillon is', 'first after ms', 'last after ms', 'history'],
      rows: all.filter(({ refused }) => !refused).map((rounds) => toRow(rounds, ours)),
      goals: all.flatMap((rounds) => goalOf(rounds, ours)),
      notes: [
        ...all
          .filter(({ contender }) => contender.share < 1)
          .map(({ contender }) => `${contender.name} was given ${number(count * contender.share)} only.`),
        ...compareRounds('Fires a second', {
          now: all[0],
          before: all.find(({ contender }) => contender.name === BEFORE),
          figureOf: (sample) => sample.firesPerSecond,
        }),
      ],
      plots: [],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};

function toRow({ contender, samples }: Rounds<Contender, Sample>, ours: number): string[] {
  const rates = samples.map((sample) => sample.firesPerSecond);
  return [
    `${contender.name} ${contender.version}`,
    number(median(rates)),
    percent(spread(rates)),
    ratio(ours / median(rates)),
    number(median(samples.map((sample) => sample.firstMs))),
    number(median(samples.map((sample) => sample.lastMs))),
    contender.keepsHistory ? 'yes' : 'no',
  ];
}

function goalOf({ contender, samples }: Rounds<Contender, Sample>, ours: number): Goal[] {
  const isOurs = contender.name === 'Carillon' || contender.name === BEFORE;
  if (isOurs || samples.length === 0 || Number.isNaN(ours)) return [];
  const goal = GOALS[contender.name] ?? 1;
  const figure = ours / median(samples.map((sample) => sample.firesPerSecond));
  return [{ goal: `${ratio(goal)} ${contender.name}`, figure: ratio(figure), isMet: figure >= goal }];
}
