import type { Goal } from '../harness/race.js';

/** Returns a line for each goal that was missed. */
export const missedGoals = (results: readonly { name: string; goals: readonly Goal[] }[]): string[] =>
  results.flatMap(({ name, goals }) =>
    goals.filter(({ isMet }) => !isMet).map(({ goal, figure }) => `${name}: ${goal}: ${figure}`),
  );
