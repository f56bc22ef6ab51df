import type { Plan } from './plan.js';
/** The receiver's answer, if there was one. */
export interface Answer {
    httpStatus: number | null;
    response: string | null;
    externalId: string | null;
}
/** How one attempt at delivering went. A failure of the other side is a value, not an exception. */
export type Outcome = {
    kind: 'succeeded';
    answer?: Answer;
} | {
    kind: 'failed';
    /** True if another attempt could succeed. */
    isTransient: boolean;
    errorCode: string;
    error: string;
    answer?: Answer;
    /** The delay that the receiver asked for with `Retry-After`. */
    retryAfterMs?: number | null;
    /** True if the receiver answered 410 Gone. Its schedule then pauses. */
    isGone?: boolean;
}
/** This worker stops and gives the run to another: the attempt does not count. */
 | {
    kind: 'handed_back';
}
/** Nothing was sent, because nothing may be sent to the target now. The run waits, and the attempt does not count. */
 | {
    kind: 'deferred';
    retryInMs: number;
    reasonCode: string;
    reason: string;
};
export type Closing = {
    status: 'succeeded' | 'failed';
    retryInMs: null;
} | {
    status: 'retrying';
    retryInMs: number;
};
/** Decides the next state of the run. `attempt` counts from 1 and does not include free attempts. */
export declare function closingOf(outcome: Outcome, { retry, attempt, random }: {
    retry: Plan['retry'];
    attempt: number;
    random: number;
}): Closing;
