/** An event of an iCalendar file. */
export interface IcsEvent {
    /** An id that stays the same in every version of the file, so that a calendar program updates its entry. */
    uid: string;
    /** When the event last changed. */
    stampAt: number;
    startAt: number;
    summary: string;
    description: string;
    status: 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED';
    categories: readonly string[];
}
/** Writes an iCalendar file (RFC 5545). Events have no duration, so that they do not make their reader look busy. */
export declare function writeIcs({ name, events }: {
    name: string;
    events: readonly IcsEvent[];
}): string;
