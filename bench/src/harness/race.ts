import type { EarlierCarillon } from '../before/earlier-carillon.js';
import type { Plot } from '../report/plot.js';
import type { Arena } from './arena.js';

export interface RaceContext {
  arena: Arena;
  /**
   * True if the race runs at a small size, as in CI. That proves that it still runs with correct results, but says
   * nothing about speed.
   */
  isQuick: boolean;
  /** The number of rounds of each contender. */
  repeat: number;
  /** Runs only contenders whose name contains this text. Carillon always runs. */
  only: string | null;
  /** The build of an earlier commit to compare with, in the races that support it; null for no comparison. */
  before: EarlierCarillon | null;
  /** Reports progress on the terminal. */
  say(text: string): void;
}

export interface Goal {
  goal: string;
  figure: string;
  isMet: boolean;
}

export interface RaceResult {
  head: string[];
  rows: string[][];
  goals: Goal[];
  /** Notes that are shown below the table. */
  notes: string[];
  plots: Plot[];
  /** The reasons why figures are missing. */
  refused: string[];
}

export interface Race {
  name: string;
  /** A sentence that says what the race does and measures. */
  work: string;
  /**
   * The default number of rounds of each contender. A race with short rounds has more of them, because other load on
   * the machine changes their figures more.
   */
  rounds: number;
  /** True if an earlier build of Carillon can take part. */
  canCompare?: true;
  run(context: RaceContext): Promise<RaceResult>;
}

/** The results of one contender's rounds. */
export interface Rounds<C, T> {
  contender: C;
  /** The figures of the rounds. Empty if any round was invalid, because then the other rounds do not count either. */
  samples: T[];
  /** The reason why the contender has no figure; null if it has one. */
  refused: string | null;
}

/**
 * Runs the contenders in turns for the given number of rounds, so that other load on the machine affects all of them. A
 * contender with an invalid round gets no figure, and the others go on.
 */
export async function interleave<C extends { name: string }, T>(
  { repeat, say }: RaceContext,
  contenders: readonly C[],
  run: (contender: C) => Promise<T>,
): Promise<Rounds<C, T>[]> {
  const all: Rounds<C, T>[] = contenders.map((contender) => ({ contender, samples: [], refused: null }));
  for (let round = 1; round <= repeat; round++) {
    for (const rounds of all) {
      if (rounds.refused) continue;
      try {
        rounds.samples.push(await run(rounds.contender));
        say(`${rounds.contender.name}, round ${round} of ${repeat}`);
      } catch (error) {
        rounds.samples = [];
        const why = `${rounds.contender.name}: ${error instanceof Error ? error.message : error}`;
        say(why);
        // Only the first line of the error goes into the report.
        rounds.refused = why.replace(/\n.*/s, '');
      }
    }
  }
  return all;
}
