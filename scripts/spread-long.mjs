import { BaseSequencer } from 'vitest/node';

/** The tests that take longest, or keep several processes busy. */
const LONG = [
  'tests/attack/',
  'tests/browser/',
  'tests/faults/',
  'tests/redis/',
  'tests/deploy/',
  'apps/api/test/fuzz',
  'apps/api/test/hostile',
  'apps/worker/test/memory',
  'packages/embedded/test/',
];

/**
 * Spreads long test files evenly among the others. Side by side they would starve each other of CPU, and one that starts
 * last would run alone while the other workers idle.
 */
export class SpreadLong extends BaseSequencer {
  async sort(files) {
    const isLong = ({ moduleId }) => LONG.some((part) => moduleId.includes(part));
    const sorted = await super.sort(files);
    const long = sorted.filter(isLong);
    const short = sorted.filter((file) => !isLong(file));
    const perLong = Math.ceil(short.length / (long.length + 1));
    const spread = long.flatMap((file, i) => [file, ...short.slice(i * perLong, (i + 1) * perLong)]);
    return [...spread, ...short.slice(long.length * perLong)];
  }
}
