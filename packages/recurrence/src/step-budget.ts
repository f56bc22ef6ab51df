import { UnusableRule } from './parse-result.js';

/**
 * Maximum number of steps of one evaluation of a rule, such as the search for its next occurrence. A step is one day or
 * month looked at, or one BYSETPOS position selected. Steps are counted instead of milliseconds so that every machine
 * accepts and refuses the same rules.
 *
 * An accepted rule can always be evaluated: only compiling a rule can exceed the budget, and a rule is compiled before
 * it is accepted. Counting the occurrences of a compiled rule from 1900 to 2199 takes at most about 115,000 steps.
 */
export const MAX_STEPS_PER_EVALUATION = 300_000;

/** Thrown when an evaluation of a rule needs more than `MAX_STEPS_PER_EVALUATION` steps. */
export class RuleTooCostly extends UnusableRule {
  override name = 'RuleTooCostly';

  constructor() {
    super(
      `evaluating this rule takes over ${MAX_STEPS_PER_EVALUATION.toLocaleString('en')} steps; shorten its BY lists, leave out BYSETPOS or COUNT, list fewer dates, or begin with a later DTSTART`,
    );
  }
}

let stepsLeft = MAX_STEPS_PER_EVALUATION;

/** Gives the next evaluation the full budget. Evaluations are synchronous, so two of them never share a budget. */
export function resetStepBudget(): void {
  stepsLeft = MAX_STEPS_PER_EVALUATION;
}

export function spendSteps(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new RuleTooCostly();
}
