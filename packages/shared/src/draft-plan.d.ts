import { type Problem } from '@carillon/recurrence';
import type { z } from 'zod';
import type { ScheduleInput } from './contracts/schedule.js';
import type { Target as TargetSchema } from './contracts/target.js';
import type { Plan, Target } from './plan.js';
import { type TargetOwner } from './target-rules.js';
/** The defaults for fields that a schedule leaves out. */
export interface ScheduleDefaults {
    /** The project's default target; null if a schedule must name its own. */
    target: z.infer<typeof TargetSchema> | null;
    maxAttempts: number;
    baseDelayMs: number;
    /** True if webhooks may go to this machine and its network. */
    allowPrivateTargets: boolean;
    /**
     * Maximum time-out of a delivery to the outside, which holds a place of a worker until it ends (default: no limit).
     */
    maxOutgoingTimeoutMs?: number;
    /**
     * The project whose limits decide which targets it may use. If absent, any target is allowed, because it was checked
     * before.
     */
    owner?: TargetOwner;
    /**
     * Returns the problem of a payload that does not fit the handler, if this process knows the schema of the handler.
     */
    payloadProblem?: (target: Target, payload: unknown) => Problem | null;
    /**
     * Encrypts a header value, unless it is already encrypted. Null if there is no encryption key. If undefined, headers
     * stay as they are.
     */
    sealHeader?: ((value: string) => string) | null;
}
/** The plan of a definition: the target and the policies, without the timing. */
export declare function draftPlan(input: Omit<ScheduleInput, 'rule'>, defaults: ScheduleDefaults): {
    ok: true;
    plan: Plan;
} | {
    ok: false;
    problems: Problem[];
};
/** Encrypts the values of a target's headers. Without a function to do it, the target stays as it is. */
export declare function sealTarget(target: Target, sealHeader: ScheduleDefaults['sealHeader']): {
    ok: true;
    target: Target;
} | {
    ok: false;
    problems: Problem[];
};
/**
 * The defaults of the fields that a request leaves out, for the documentation. `retry` has those of an installation
 * that sets none of its own.
 */
export declare const SCHEDULE_DEFAULTS: {
    readonly name: null;
    readonly tags: readonly [];
    readonly timezone: 'UTC';
    readonly startAt: null;
    readonly endAt: null;
    readonly maxRuns: null;
    readonly jitter: null;
    readonly dst: {
        readonly gap: 'shift';
        readonly overlap: 'first';
    };
    readonly exclusions: readonly [];
    readonly misfire: {
        readonly policy: 'once';
        readonly grace: 'PT1M';
        readonly limit: 100;
    };
    readonly overlap: 'allow';
    readonly maxConcurrentRuns: null;
    readonly dependsOn: null;
    readonly retry: {
        readonly maxAttempts: 3;
        readonly baseDelay: 'PT1M';
        readonly maxDelay: 'PT1H';
        readonly jitter: true;
    };
    readonly timeout: 'PT15S';
    readonly pauseAfterFailures: null;
    readonly onSuccess: null;
    readonly onFailure: null;
    readonly payload: null;
};
