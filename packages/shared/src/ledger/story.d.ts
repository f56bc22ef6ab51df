import type { ATTEMPT_OUTCOMES, LEDGER_STEPS, RUN_STATUSES } from '../contracts/run.js';
import { type RunIdentity } from '../run-id.js';
export type AttemptOutcome = Exclude<(typeof ATTEMPT_OUTCOMES)[number], 'open'>;
/** The facts about a run that its story is made of. */
export interface StoryRun extends RunIdentity {
    status: (typeof RUN_STATUSES)[number];
    version: number;
    dueAt: number;
    recordedAt: number;
    claimedAt: number | null;
    finishedAt: number | null;
    attempt: number;
    replays: number;
    latenessMs: number | null;
    /** Infinity while the run is held or waits for its turn. */
    nextAttemptAt: number | null;
    error: string | null;
    reasonCode: string | null;
    reason: string | null;
}
export interface StoryAttempt {
    number: number;
    workerId: number | null;
    claimedAt: number | null;
    finishedAt: number | null;
    outcome: AttemptOutcome | null;
    errorCode: string | null;
    error: string | null;
}
/** Deferrals for one reason before one attempt. */
export interface StoryDeferral {
    attempt: number;
    reasonCode: string;
    reason: string;
    fromAt: number;
    /** When the run was last due to be tried again. */
    untilAt: number;
    count: number;
}
/** An entry of the audit log about the schedule or one of its runs. */
export interface StoryChange {
    at: number;
    actor: string;
    action: string;
    detail: Record<string, unknown> | null;
}
export interface StorySources {
    run: StoryRun;
    attempts: readonly StoryAttempt[];
    deferrals: readonly StoryDeferral[];
    changes: readonly StoryChange[];
    nowAt: number;
}
/** The prefix of the actor of edits that move an occurrence, because new time zone data computes it differently. */
export declare const TZDATA_ACTOR = "time zone data ";
/** One step in the story of an occurrence. */
export interface StoryStep {
    at: number;
    until: number | null;
    kind: (typeof LEDGER_STEPS)[number];
    text: string;
    actor: string | null;
    attempt: number | null;
    outcome: (typeof ATTEMPT_OUTCOMES)[number] | null;
    reasonCode: string | null;
    count: number;
    version: number | null;
}
export declare const step: (kind: StoryStep['kind'], at: number, text: string, more?: Partial<StoryStep>) => StoryStep;
/** Everything that happened to a run, in order. */
export declare function storyOfRun(sources: StorySources): StoryStep[];
/** Steps of one instant keep the order in which they were listed. */
export declare const inOrder: (steps: readonly StoryStep[]) => StoryStep[];
/**
 * The step in which a rule named the occurrence. If new time zone data made this version of the rule, the step says so.
 */
export declare function namedStep(at: number, version: number, changes: readonly StoryChange[]): StoryStep;
export declare const namesOccurrence: ({ detail }: StoryChange, { origin, occurrenceAt }: Pick<RunIdentity, 'origin' | 'occurrenceAt'>) => boolean;
export declare function changeStep({ at, actor, action, detail }: StoryChange): StoryStep;
