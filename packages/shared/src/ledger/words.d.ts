import type { StoryAttempt, StoryDeferral } from './story.js';
export declare const describeDeferral: ({ count, reasonCode, reason }: StoryDeferral) => string;
export declare function describeAttempt({ number, outcome, error }: StoryAttempt): string;
/** A duration in the unit that a person would use. */
export declare function inWords(ms: number): string;
