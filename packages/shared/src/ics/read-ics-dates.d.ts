export type IcsDates = {
    ok: true;
    dates: string[];
} | {
    ok: false;
    problem: string;
};
/**
 * Reads the days of an iCalendar file (RFC 5545): each day that an event touches is excluded. Cancelled events and the
 * exceptions of repeating ones (EXDATE) are left out. `nowAt` decides which instances of repeating events are listed.
 */
export declare function readIcsDates(text: string, { nowAt, mostDates }: {
    nowAt: number;
    mostDates: number;
}): IcsDates;
