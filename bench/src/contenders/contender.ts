import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CrewOptions } from '../harness/crew.js';
import type { Job } from '../harness/tally.js';

/** A scheduler that takes one-shot jobs and runs each when it is due. */
export interface Contender {
  name: string;
  version: string;
  /**
   * The settings, as text for the report. They are the best ones that the documentation of the contender recommends.
   */
  settings: string;
  /** True if the contender keeps the results of finished jobs in Postgres. */
  keepsHistory: boolean;
  /** Maximum time for storing this many jobs. All of them must be stored before the first is due. */
  seedMs(jobs: number): number;
  /**
   * The fraction of the jobs that the contender gets. It is 1, except for a contender that is too slow for all of them.
   * The report then says how many it got.
   */
  share: number;
  open(servers: { databaseUrl: string; redisUrl: string }): Promise<Stage>;
}

/** A contender that is ready for one round, with its tables created. */
export interface Stage {
  seed(jobs: readonly Job[]): Promise<void>;
  crew: Pick<CrewOptions, 'main' | 'processes' | 'env' | 'readyWhenPrinted'>;
  /** True if all jobs are done and their results are stored. */
  areJobsDone(): Promise<boolean>;
  /**
   * Checks the stored results of these jobs; returns the faults. A contender that stores no results returns none.
   * `latenessMs[n]` is the lateness of job n, as its handler measured it.
   */
  findFaults(jobs: readonly Job[], latenessMs: Int32Array): Promise<string[]>;
  close(): Promise<void>;
}

/** The number of worker processes of each contender. */
export const PLAYERS_EACH = 2;

const require = createRequire(import.meta.url);

/** The installed version of an npm package. */
export function versionOf(packageName: string): string {
  const { pathname } = new URL(`file://${require.resolve(packageName)}`);
  const folder = pathname.slice(0, pathname.lastIndexOf(`/node_modules/${packageName}/`));
  const file = `${folder}/node_modules/${packageName}/package.json`;
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

export function* inChunks<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
