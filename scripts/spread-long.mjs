import { BaseSequencer } from 'vitest/node';

/** Tests that take long, or keep several processes busy. */
const LONG = [
  'tests/attack/',
  'tests/browser/',
  'tests/faults/',
  'tests/guides/',
  'tests/redis/',
  'tests/deploy/',
  'apps/api/test/fuzz',
  'apps/api/test/hostile',
  'apps/worker/test/memory',
  'packages/embedded/test/',
];

/**
 * Spreads the long test files of each project evenly among its others. Next to each other they would starve each other
 * of CPU. If a long one started last, it would run alone while the other test processes are idle. The files of a project
 * stay together: Vitest ends a test process when the next file belongs to another project, and a new test process
 * imports all sources anew.
 */
export class SpreadLong extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => spread(sorted.filter((file) => file.project === project)));
  }
}

function spread(files) {
  const isLong = ({ moduleId }) => LONG.some((part) => moduleId.includes(part));
  const long = files.filter(isLong);
  const short = files.filter((file) => !isLong(file));
  const perLong = Math.ceil(short.length / (long.length + 1));
  const mixed = long.flatMap((file, i) => [file, ...short.slice(i * perLong, (i + 1) * perLong)]);
  return [...mixed, ...short.slice(long.length * perLong)];
}
