import { type Timing } from '@carillon/recurrence';
/** A definition and the time during which it was in force. */
export interface ComparedDefinition {
    version: number;
    timing: Timing;
    maxRuns: number | null;
    fromAt: number;
    /** Exclusive; null for the definition that is in force now. */
    untilAt: number | null;
}
export interface ComparedSchedule {
    status: 'active' | 'paused' | 'finished' | 'cancelled';
    /** When the schedule was last changed. For a cancelled schedule, this is when it was cancelled. */
    updatedAt: number;
    /** The occurrence on the agenda. It and all later occurrences are still to come. */
    pendingAt: number | null;
    /** When the occurrence on the agenda is due; null while the schedule is paused. */
    pendingDueAt: number | null;
    /** The latest occurrence that ran. */
    lastRunAt: number | null;
}
export interface ComparedRun {
    occurrenceAt: number;
    version: number;
    recordedAt: number;
}
/**
 * A difference between the occurrences that a rule named and the runs that exist. A stretch of missing occurrences is
 * one difference.
 */
export interface OccurrenceDifference {
    /**
     * `missing`: named, and there is neither a run nor a gap. `overdue`: due for more than a minute and not claimed.
     * `unnamed`: there is a run that no definition named.
     */
    kind: 'missing' | 'overdue' | 'unnamed';
    fromAt: number;
    toAt: number;
    count: number;
    version: number;
}
export interface Comparison {
    differences: OccurrenceDifference[];
    /** Number of occurrences that were compared. */
    compared: number;
    /** The instant at which the comparison stopped because its budget was used up; null if it is complete. */
    stoppedAt: number | null;
}
export interface ComparisonInput {
    schedule: ComparedSchedule;
    /** Oldest first. */
    definitions: readonly ComparedDefinition[];
    /** The runs that the rule made in the window, earliest first. */
    runs: readonly ComparedRun[];
    gaps: readonly {
        fromAt: number;
        toAt: number;
    }[];
    window: {
        fromAt: number;
        toAt: number;
    };
    nowAt: number;
    /** Maximum number of occurrences to compare. */
    budget: number;
}
/** Compares the occurrences that a rule named in a window with the runs and gaps that account for them. */
export declare function compareOccurrences(input: ComparisonInput): Comparison;
