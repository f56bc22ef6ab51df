import { type LeapDayPolicy, type Timing } from '@carillon/recurrence';
import type { ScheduleInput } from './contracts/schedule.js';
import type { Target } from './plan.js';
/** The person of a yearly event. */
export interface Celebrated {
    userId: string;
    firstName: string;
    lastName: string;
    timezone: string;
}
/** An event that recurs every year on a date of a person's local calendar, such as a birthday or an anniversary. */
export interface YearlyEvent {
    name: string;
    /** `YYYY-MM-DD`, with the year of the first event. */
    date: string;
    /** `HH:MM` in the person's time zone. */
    localTime: string;
    leapDay: LeapDayPolicy;
    /** Null for the default message. */
    message: string | null;
}
export declare const BIRTHDAY = "birthday";
/**
 * The prefix of the ids of yearly events. Carillon generates these ids, and clients can't choose one with this prefix.
 */
export declare const YEARLY_EVENT_PREFIX = "evt_";
/** The schedule of a yearly event. */
export declare function scheduleYearly(event: YearlyEvent, { person, key, target }: {
    person: Celebrated;
    key: string;
    target: Target | null;
}): ScheduleInput;
/**
 * Fills in the id of this year's event, which is the id of its run. With one id for all years, a receiver that
 * deduplicates would drop the second year.
 */
export declare function nameEvent(payload: string, { key, runId }: {
    key: string;
    runId: string;
}): string;
export interface YearlyMove {
    before: Timing;
    after: Timing;
    /** The pending occurrence under the old timing; null if there is none. */
    pendingAt: number | null;
    /** The local year of the latest event that was delivered or is in flight. */
    celebratedYear: number | null;
    nowAt: number;
}
/**
 * The next occurrence of a yearly event after its date or its time zone has changed. The event occurs once in each
 * local year: a year that was celebrated in one zone is not celebrated again in another. If the event was pending and
 * its time has already passed in the new zone, it occurs at once, because it would be lost otherwise.
 */
export declare function moveYearly({ before, after, pendingAt, celebratedYear, nowAt }: YearlyMove): number | null;
/** The local year in a time zone. */
export declare const yearAt: (at: number, timezone: string) => number;
