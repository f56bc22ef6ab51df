import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CrewOptions } from '../harness/crew.js';
import type { Job } from '../harness/tally.js';

/** Somebody who can be given one-shot jobs and runs each when it is due. */
export interface Contender {
  name: string;
  version: string;
  /** For the report: how it was set up, and that it is the best that its documentation offers. */
  settings: string;
  /** Whether Postgres can tell afterwards what ran and how it went. */
  keepsHistory: boolean;
  /** How long it may take to write so many jobs down. They must all be there before they are due. */
  seedMs(jobs: number): number;
  /** A job in so many: those who are too slow for all of them are given a part, and the report says so. */
  share: number;
  open(servers: { databaseUrl: string; redisUrl: string }): Promise<Stage>;
}

/** A contender with its tables made, in one round. */
export interface Stage {
  seed(jobs: readonly Job[]): Promise<void>;
  crew: Pick<CrewOptions, 'main' | 'processes' | 'env' | 'readyWhenPrinted'>;
  /** Whether nothing is left to do and all that was done is written. */
  isSettled(): Promise<boolean>;
  /** What is wrong with what its store says about these jobs, where it says anything. */
  findFaults(jobs: readonly Job[]): Promise<string[]>;
  close(): Promise<void>;
}

/** Worker processes of each contender. */
export const PLAYERS_EACH = 2;

const require = createRequire(import.meta.url);

/** The version that is installed, which is what ran. */
export function versionOf(packageName: string): string {
  const { pathname } = new URL(`file://${require.resolve(packageName)}`);
  const folder = pathname.slice(0, pathname.lastIndexOf(`/node_modules/${packageName}/`));
  const file = `${folder}/node_modules/${packageName}/package.json`;
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

export function* inChunks<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
