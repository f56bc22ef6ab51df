import type { Slo } from '@carillon/client';
import { durationWords } from '../format/time.js';

const withGrace = (grace: string | undefined) =>
  grace === undefined ? '' : ` (with a grace of ${durationWords(grace)})`;

/** Each objective as a sentence. */
export function objectiveWords(slo: Slo): string[] {
  const { startWithin, startGrace, endWithin, endGrace, maxDuration, successRate } = slo;
  return [
    ...(startWithin ? [`Starts within ${durationWords(startWithin)}${withGrace(startGrace)}.`] : []),
    ...(endWithin ? [`Succeeds within ${durationWords(endWithin)}${withGrace(endGrace)}.`] : []),
    ...(maxDuration ? [`Takes at most ${durationWords(maxDuration)}.`] : []),
    ...(successRate ? [`${rateWords(successRate)}.`] : []),
  ];
}

function rateWords({ percent, last, window }: NonNullable<Slo['successRate']>): string {
  if (window !== undefined) return `${percent}% of the runs of ${durationWords(window)} succeed`;
  return last === 1 ? 'Every run succeeds' : `${percent}% of the last ${last} runs succeed`;
}
