import { BaseSequencer } from 'vitest/node';

/** Tests that take long, or keep several processes busy. */
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
 * Spreads long test files evenly among the others. Next to each other they would starve each other of CPU. If a long
 * one started last, it would run alone while the other test processes are idle.
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
