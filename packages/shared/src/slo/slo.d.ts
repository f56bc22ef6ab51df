import { type Problem } from '@carillon/recurrence';
import type { z } from 'zod';
import type { ScheduleInput } from '../contracts/schedule.js';
import type { SloAnswer } from '../contracts/slo.js';
import type { Plan } from '../plan.js';
/** The objectives of a schedule, in milliseconds. Objectives that it does not have are null. */
export interface Slo {
    startWithinMs: number | null;
    startGraceMs: number;
    endWithinMs: number | null;
    endGraceMs: number;
    maxDurationMs: number | null;
    /** Either `last` (a number of runs) or `windowMs` is set. */
    successRate: {
        percent: number;
        last: number | null;
        windowMs: number | null;
    } | null;
}
/** The objectives that a request asks for. */
export declare function sloOf({ slo, target }: Pick<ScheduleInput, 'slo' | 'target'>): Slo | null;
/** The graces of a heartbeat say when its start and its end are late, so objectives for them are refused. */
export declare function heartbeatProblems({ target, slo }: Pick<Plan, 'target' | 'slo'>): Problem[];
/** The objectives in the form of a request. */
export declare function presentSlo(slo: Slo | null): z.infer<typeof SloAnswer> | null;
