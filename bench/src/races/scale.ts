import { number, percent, ratio } from '../harness/format.js';
import { type Goal, interleave, type Race, type Rounds } from '../harness/race.js';
import { median, spread } from '../harness/statistics.js';
import type { Plot } from '../report/plot.js';
import { type Costs, measureCosts, seedFar } from './scale-costs.js';

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const FLATNESS_GOAL = 1.5;

type ScaleRounds = Rounds<{ name: string; size: number }, Costs>;

const COLUMNS: [title: string, cost: keyof Costs][] = [
  ['created a second', 'createdPerSecond'],
  ['claim of 500 ms', 'claimMs'],
  ['sweep ms', 'sweepMs'],
  ['list of 50 ms', 'listMs'],
  ['Redis MB', 'redisMb'],
  ['idle transactions a second', 'idlePerSecond'],
];

/** Measures what schedules that are not due cost: does the same work with more and more of them in the database. */
export const scale: Race = {
  name: 'scale',
  work: 'with 10 thousand, 100 thousand, 1 million and 10 million pending schedules, 5,000 of them within the horizon, the race measures the cost of creating, claiming, sweeping and listing, the memory of Redis, and the transactions of two idle workers',
  rounds: 3,
  async run(context) {
    const { arena, isQuick, say } = context;
    const sizes = isQuick ? [2_000, 20_000] : SIZES;
    const entrants = sizes.map((size) => ({ name: `${number(size)} schedules`, size }));
    let all: ScaleRounds[];
    try {
      for (const { name, size } of entrants) {
        await seedFar(arena, { name: databaseOf(size), size });
        say(`${name} are there`);
      }
      all = await interleave(context, entrants, ({ size }) =>
        measureCosts(arena, { name: databaseOf(size), isQuick }),
      );
    } finally {
      for (const { size } of entrants) await arena.forget(databaseOf(size));
    }
    const held = all.filter(({ refused }) => !refused);
    return {
      head: ['', ...COLUMNS.map(([title]) => title), 'spread of claim'],
      rows: held.map(toRow),
      goals: goalsOf(held),
      notes: [],
      plots: [costPlot(held)],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};

const databaseOf = (size: number) => `carillon_bench_${size}`;

const costOf = ({ samples }: ScaleRounds, cost: keyof Costs) => median(samples.map((sample) => sample[cost]));

function toRow(rounds: ScaleRounds): string[] {
  return [
    rounds.contender.name,
    ...COLUMNS.map(([, cost]) => number(costOf(rounds, cost))),
    percent(spread(rounds.samples.map(({ claimMs }) => claimMs))),
  ];
}

function goalsOf(held: readonly ScaleRounds[]): Goal[] {
  const [smallest, largest] = [held[0], held.at(-1)];
  if (!smallest || !largest) return [];
  const flat: [what: string, cost: keyof Costs][] = [
    ['claim', 'claimMs'],
    ['sweep', 'sweepMs'],
    ['Redis memory', 'redisMb'],
  ];
  return flat.map(([what, cost]) => {
    const grown = costOf(largest, cost) / costOf(smallest, cost);
    const goal = `${what} flat within ${ratio(FLATNESS_GOAL)}, from ${smallest.contender.name} to ${largest.contender.name}`;
    return { goal, figure: ratio(grown), isMet: grown <= FLATNESS_GOAL };
  });
}

function costPlot(held: readonly ScaleRounds[]): Plot {
  const lines: [label: string, cost: keyof Costs][] = [
    ['claim of 500', 'claimMs'],
    ['sweep', 'sweepMs'],
    ['list of 50', 'listMs'],
  ];
  return {
    name: 'scale',
    title: 'Cost against the number of schedules',
    x: { label: 'pending schedules', scale: 'log' },
    y: { label: 'milliseconds', scale: 'log' },
    lines: lines.map(([label, cost]) => ({
      label,
      points: held.map((rounds) => [rounds.contender.size, costOf(rounds, cost)]),
    })),
  };
}
