import type { Plan } from '../plan.js';
import type { StoryRun, StoryStep } from './story.js';
/** Explains in one sentence what became of a run and why, for a person who writes a report. */
export declare function explainRun(run: StoryRun, story: readonly StoryStep[], plan: Plan | null): string;
