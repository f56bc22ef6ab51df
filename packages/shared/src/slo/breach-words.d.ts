import type { BreachKind, RunCounts, WatchedRun } from './judge-slo.js';
import type { Slo } from './slo.js';
/** An instant for people, to the second. */
export declare const instantInWords: (at: number) => string;
/** A duration for people, by its two largest units. */
export declare function durationInWords(durationMs: number): string;
export interface Breach {
    schedule: {
        key: string;
        name: string | null;
    };
    kind: BreachKind;
    slo: Slo;
    /** When the breach began. */
    at: number;
    run: WatchedRun | null;
    counts: RunCounts | null;
}
/** Says what was expected, what happened, and since when. */
export declare function describeBreach({ schedule, kind, slo, at, run, counts }: Breach): string;
/** Describes how a breach ended. */
export declare function describeRecovery({ kind, run, at, }: {
    kind: BreachKind;
    run: WatchedRun | null;
    at: number;
}): string;
