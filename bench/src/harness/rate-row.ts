import { number, percent } from './format.js';
import { median, spread } from './statistics.js';

/** A row of a report: the contender, the median of its rates and their spread. */
export const rateRow = ({
  contender,
  samples,
}: {
  contender: { name: string; version: string };
  samples: readonly number[];
}): string[] => [`${contender.name} ${contender.version}`, number(median(samples)), percent(spread(samples))];
