import type { Slo } from './slo.js';
export declare const BREACH_KINDS: readonly ['start', 'end', 'duration', 'success_rate'];
export type BreachKind = (typeof BREACH_KINDS)[number];
/** An occurrence as the objectives see it: a run, or the occurrence that is due next and has none yet. */
export interface WatchedRun {
    occurrenceAt: number;
    dueAt: number;
    /** `due` while the occurrence waits for its claim. */
    status: 'due' | 'queued' | 'running' | 'retrying' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
    /** When its first attempt began; null before that. */
    startedAt: number | null;
    /** When its latest attempt ended, or when it was skipped or cancelled. */
    finishedAt: number | null;
    attempt: number;
    reasonCode: string | null;
    reason: string | null;
    error: string | null;
}
/** The ended runs that a success rate counts. */
export interface RunCounts {
    succeeded: number;
    failed: number;
    /** The latest run that failed. */
    latestFailure: {
        occurrenceAt: number;
        error: string | null;
    } | null;
}
export interface SloFacts {
    slo: Slo;
    nowAt: number;
    /** A paused schedule can't miss a deadline; runs that have ended are judged all the same. */
    isPaused: boolean;
    judgedUntil: number;
    /** The occurrences after `judgedUntil`, earliest first, and those that began an open alert. */
    runs: readonly WatchedRun[];
    /** Null if the schedule has no objective for its success rate. */
    counts: RunCounts | null;
}
/** Tells whether one occurrence meets one objective at an instant. */
export interface Verdict {
    kind: BreachKind;
    isBreached: boolean;
    at: number;
    occurrenceAt: number;
    /** Null for a success rate, which no single run decides. */
    run: WatchedRun | null;
}
export interface Judgement {
    /** In the order of time. */
    verdicts: Verdict[];
    judgedUntil: number;
    /** The earliest time at which another objective can be missed; null if there is none. */
    nextCheckAt: number | null;
}
/**
 * Judges a schedule by its objectives. Time decides, not completion: an occurrence that has not started, or not ended,
 * by its deadline is a breach.
 */
export declare function judgeSlo({ slo, nowAt, isPaused, judgedUntil, runs, counts }: SloFacts): Judgement;
export declare const hasEnded: ({ status }: Pick<WatchedRun, 'status'>) => boolean;
