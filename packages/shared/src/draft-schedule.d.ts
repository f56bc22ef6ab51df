import { type Calendars, type Problem, type Timing } from '@carillon/recurrence';
import type { ScheduleInput } from './contracts/schedule.js';
import { type Moment } from './decide-due.js';
import { type ScheduleDefaults } from './draft-plan.js';
import type { Plan } from './plan.js';
export interface Drafted {
    name: string | null;
    tags: string[];
    rule: ScheduleInput['rule'];
    timing: Timing;
    plan: Plan;
    first: Moment;
    warnings: string[];
}
export type DraftResult = {
    ok: true;
    drafted: Drafted;
} | {
    ok: false;
    problems: Problem[];
};
/** Turns validated input of a client into a definition with all defaults filled in. */
export declare function draftSchedule(input: ScheduleInput, { key, nowAt, defaults, calendars, }: {
    key: string;
    nowAt: number;
    defaults: ScheduleDefaults;
    calendars?: Calendars;
}): DraftResult;
/** The names of the calendars in these inputs. The inputs are not validated yet, so any shape must be expected. */
export declare function calendarsNamedBy(inputs: Iterable<unknown>): string[];
export declare function labelsOf({ name, tags, }: Pick<ScheduleInput, 'name' | 'tags'>): Pick<Drafted, 'name' | 'tags'>;
