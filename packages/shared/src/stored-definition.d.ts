import { type Timing } from '@carillon/recurrence';
import type { Plan } from './plan.js';
export declare const USUAL_PLAN: Omit<Plan, 'target'>;
/** The stored form. Two timings are equal exactly if their texts are. */
export declare const storeTiming: (timing: Timing) => string;
export declare const storePlan: (value: Plan) => string;
/** Reads the stored form. Each distinct text is parsed once, because many schedules share theirs. */
export declare const readTiming: (text: string) => Timing;
export declare const readPlan: (text: string) => Plan;
