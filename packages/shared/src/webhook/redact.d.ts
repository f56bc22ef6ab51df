import type { Problem } from '@carillon/recurrence';
import type { Target } from '../plan.js';
/** Replaces the value of a header wherever a target is shown. */
export declare const REDACTED = "\u2022\u2022\u2022";
/** A target as it may be shown: the names of its headers, and none of their values. */
export declare function redactTarget<T extends Target | null>(target: T): T;
/**
 * Restores the stored header values if a client sends redacted ones, as happens when it reads a target, edits it and
 * sends it back. The origin must be the same: otherwise a client that may not read the values could have them sent to
 * its own server.
 */
export declare function keepRedacted(target: Target, stored: Target | null): {
    ok: true;
    target: Target;
} | {
    ok: false;
    problems: Problem[];
};
export declare function redactedProblem(name: string, isOtherOrigin?: boolean): Problem;
