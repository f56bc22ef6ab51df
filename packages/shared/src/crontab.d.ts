import type { ScheduleInput } from './contracts/schedule.js';
import type { Target } from './plan.js';
/** A line of a crontab as a schedule. Carillon does not run the command: the payload carries it to the target. */
export interface CrontabEntry {
    line: number;
    schedule: ScheduleInput & {
        id: string;
    };
    warnings: string[];
}
/** A line that can't be imported, with the reason. */
export interface CrontabProblem {
    line: number;
    text: string;
    message: string;
}
export interface CrontabOptions {
    /** The time zone of the machine that the crontab is from. CRON_TZ in the file wins. */
    timezone?: string;
    target?: Target;
    /** A system crontab (/etc/crontab, /etc/cron.d) names a user before the command. */
    hasUsers?: boolean;
}
export interface Crontab {
    entries: CrontabEntry[];
    problems: CrontabProblem[];
}
/** Reads a crontab. The same file gives the same ids, so that importing it again changes nothing. */
export declare function parseCrontab(text: string, options?: CrontabOptions): Crontab;
