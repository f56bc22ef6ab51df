import { BaseSequencer } from 'vitest/node';

/**
 * Test files and folders that take long or keep several processes busy, the longest first. Without this list, Vitest on
 * a fresh clone knows no durations and starts the largest files first, but some of the longest tests are files of five
 * lines.
 */
const LONG = [
  'tests/guides/guides',
  'tests/faults/mishaps',
  'tests/faults/failover',
  'tests/browser/accessibility',
  'tests/faults/crashes',
  'tests/attack/',
  'tests/faults/incident',
  'tests/faults/simulation',
  'tests/browser/manners',
  'tests/deploy/commands',
  'tests/faults/postgres-trouble',
  'tests/faults/upgrade',
  'tests/engine/bad-handlers',
  'tests/browser/main-path',
  'tests/browser/story',
  'packages/embedded/test/postgres',
  'tests/engine/sweep',
  'tests/redis/cluster',
  'tests/engine/hold',
  'tests/faults/',
  'tests/e2e/',
  'packages/embedded/test/',
  'tests/redis/',
  'tests/browser/',
  'tests/deploy/',
  'apps/api/test/fuzz',
  'apps/api/test/hostile',
  'apps/worker/test/memory',
];

/**
 * Spreads the long test files of each project evenly among its other files, the longest first. Long files that run side
 * by side would starve each other of CPU. If a long file started last, it would run alone while the other test
 * processes are idle. The files of a project stay together: Vitest ends a test process when the next file belongs to
 * another project, and a new test process imports all sources anew.
 */
export class SpreadLong extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => spread(sorted.filter((file) => file.project === project)));
  }
}

function spread(files) {
  const rankOf = ({ moduleId }) => LONG.findIndex((part) => moduleId.includes(part));
  const long = files.filter((file) => rankOf(file) >= 0).sort((a, b) => rankOf(a) - rankOf(b));
  const short = files.filter((file) => rankOf(file) < 0);
  const perLong = Math.ceil(short.length / (long.length + 1));
  const mixed = long.flatMap((file, i) => [file, ...short.slice(i * perLong, (i + 1) * perLong)]);
  return [...mixed, ...short.slice(long.length * perLong)];
}
