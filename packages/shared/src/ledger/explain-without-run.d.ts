import type { StoryChange } from './story.js';
/** The facts about a schedule that explain an occurrence without a run. */
export interface ExplainedSchedule {
    status: 'active' | 'paused' | 'finished' | 'cancelled';
    /** The occurrence on the agenda; null if there is none. */
    occurrenceAt: number | null;
    pausedBy: string | null;
    pausedAt: number | null;
    pauseNote: string | null;
    plan: {
        maxRuns: number | null;
    };
    runsTotal: number;
}
interface Explanation {
    status: 'cancelled' | 'skipped' | 'paused' | 'upcoming' | 'due' | 'unknown';
    why: string;
}
/** Explains in one sentence why an occurrence has neither a run nor a gap. */
export declare function explainWithoutRun(at: number, { schedule, changes, nowAt, }: {
    schedule: ExplainedSchedule;
    changes: readonly StoryChange[];
    nowAt: number;
}): Explanation;
export {};
