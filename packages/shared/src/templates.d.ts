import type { ScheduleInput } from './contracts/schedule.js';
/** A named rule. */
export interface Template {
    id: string;
    description: string;
    rule: ScheduleInput['rule'];
    /** The default time zone of schedules that use the template. */
    timezone: string | null;
}
/** The built-in templates of every project. */
export declare const BUILT_IN_TEMPLATES: readonly Template[];
export declare const builtInTemplate: (id: string) => Template | undefined;
