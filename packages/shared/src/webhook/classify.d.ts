import type { Outcome } from '../outcome.js';
/** The answer of a receiver, with the part of the body that is kept. */
export interface HttpAnswer {
    status: number;
    retryAfter: string | null;
    /** The first 16 KiB at most. */
    text: string;
}
/**
 * Classifies an HTTP answer. 2xx is a success; 5xx and a few others are transient; every other 4xx is final. A redirect
 * is final too, because its address was not vetted. 410 means that the receiver is gone for good.
 */
export declare function classifyAnswer({ status, retryAfter, text }: HttpAnswer, nowAt: number): Outcome;
/**
 * True if an outcome is a failure of the origin as a whole: a server error or no connection. A 4xx is about the
 * request.
 */
export declare function isOriginFailure(outcome: Outcome): boolean;
