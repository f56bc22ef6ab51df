import type { Plot } from '../report/plot.js';
import type { Arena } from './arena.js';

export interface RaceContext {
  arena: Arena;
  /** Small, for CI: proves that the race still runs and holds, and says nothing about speed. */
  isQuick: boolean;
  /** Rounds of each contender. */
  repeat: number;
  /** Only contenders whose name contains this; Carillon always runs. */
  only: string | null;
  /** Progress, for whoever waits. */
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
  /** What a reader of the table has to know. */
  notes: string[];
  plots: Plot[];
  /** Figures that are not there, because what they would say did not hold. */
  refused: string[];
}

export interface Race {
  name: string;
  /** What is done and measured, in a sentence. */
  work: string;
  /** Rounds of each contender, unless told otherwise: more where one takes seconds, and how fast the machine is just then decides. */
  rounds: number;
  run(context: RaceContext): Promise<RaceResult>;
}

/** What the rounds of one contender gave. */
export interface Rounds<C, T> {
  contender: C;
  /** Empty where one of them did not hold: what went before it is no figure either. */
  samples: T[];
  /** Why there is no figure. */
  refused: string | null;
}

/**
 * Each contender in turn, and that as often as asked for, so that whatever the machine does meanwhile hits all of them.
 * Whose round did not hold has no figure, and the others go on.
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
        // The first line is kept; what follows it is for whoever looks on.
        rounds.refused = why.replace(/\n.*/s, '');
      }
    }
  }
  return all;
}
