import { ratio } from '../harness/format.js';
import type { Rounds } from '../harness/race.js';
import { median } from '../harness/statistics.js';

/**
 * Divides the figure of this commit by the figure of the earlier commit, round by round, and reports the median of the
 * ratios. A round of each commit forms a pair, and the machine is in nearly the same state during both. So the ratio
 * varies less than the figures themselves. Returns an empty list if one of the two commits has no figure.
 */
export function compareRounds<T>(
  what: string,
  { now, before, figureOf }: { now: Sampled<T>; before: Sampled<T>; figureOf: (sample: T) => number },
): string[] {
  if (!now || !before || now.samples.length === 0 || before.samples.length === 0) return [];
  const ratios = now.samples.map((sample, round) => figureOf(sample) / figureOf(before.samples[round] as T));
  return [`${what}: ${ratio(median(ratios))} the commit before (by round: ${ratios.map(ratio).join(', ')})`];
}

type Sampled<T> = Pick<Rounds<unknown, T>, 'samples'> | undefined;
