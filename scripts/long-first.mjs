import { BaseSequencer } from 'vitest/node';

/** The tests that take longest. Started last, each of them would keep a single worker busy while the others idle. */
const LONG = [
  'tests/attack/',
  'tests/faults/mishaps',
  'tests/browser/',
  'tests/faults/',
  'apps/api/test/fuzz',
  'apps/api/test/hostile',
  'tests/deploy/',
  'packages/embedded/test/',
  'apps/worker/test/memory',
];

/** Runs long test files first, and all others in the order of vitest. */
export class LongFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => {
      const found = LONG.findIndex((part) => moduleId.includes(part));
      return found === -1 ? LONG.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
