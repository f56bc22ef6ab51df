import { carillonWith } from '../contenders/carillon.js';
import { number, percent } from '../harness/format.js';
import { runOneShots } from '../harness/one-shots.js';
import { interleave, type Race } from '../harness/race.js';
import { median, spread } from '../harness/statistics.js';

const SIZES = [50, 100, 200, 500, 1_000];

/** Compares how fast Carillon is with different values for the maximum number of rows in one claim. */
export const batches: Race = {
  name: 'batches',
  work: 'a herd of 50,000 one-shots, run by Carillon alone with different values of SCHEDULER_BATCH_SIZE',
  rounds: 3,
  async run(context) {
    const count = context.isQuick ? 1_000 : 50_000;
    const sizes = context.isQuick ? SIZES.slice(-1) : SIZES;
    const contenders = sizes.map((size) => ({
      ...carillonWith({ SCHEDULER_BATCH_SIZE: String(size) }),
      name: `batches of ${number(size)}`,
      size,
    }));
    const all = await interleave(context, contenders, async (contender) => {
      const { tookMs } = await runOneShots(context.arena, contender, {
        jobsFrom: (startAt) => Array.from({ length: count }, (_, n) => ({ n, at: startAt })),
        withinMs: 120_000,
      });
      return count / (tookMs / 1_000);
    });
    const held = all.filter(({ refused }) => !refused);
    return {
      head: ['', 'fires a second', 'spread'],
      rows: held.map(({ contender, samples }) => [
        contender.name,
        number(median(samples)),
        percent(spread(samples)),
      ]),
      goals: [],
      notes: [],
      plots: [
        {
          name: 'batch-size',
          title: 'Throughput of the herd against the size of a claim',
          x: { label: 'rows a claim', scale: 'log' },
          y: { label: 'fires a second', scale: 'linear' },
          lines: [
            {
              label: 'Carillon',
              points: held.map(({ contender, samples }) => [contender.size, median(samples)]),
            },
          ],
        },
      ],
      refused: all.flatMap(({ refused }) => refused ?? []),
    };
  },
};
