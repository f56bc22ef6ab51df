import { z } from 'zod';
/** The weekdays in the order of `WEEKDAY_CODES`, the codes with which a calendar is stored. */
declare const WEEKDAYS: readonly ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
type Weekday = (typeof WEEKDAYS)[number];
/** Maximum number of dates in a calendar, weekends not counted. */
export declare const MAX_CALENDAR_DATES = 1000;
/** A named list of dates and weekdays on which nothing fires. Schedules refer to it by its name. */
export declare const CalendarInput: z.ZodObject<{
    dates: z.ZodDefault<z.ZodArray<z.ZodString>>;
    weekends: z.ZodDefault<z.ZodArray<z.ZodEnum<{
        friday: "friday";
        monday: "monday";
        saturday: "saturday";
        sunday: "sunday";
        thursday: "thursday";
        tuesday: "tuesday";
        wednesday: "wednesday";
    }>>>;
}, z.core.$strict>;
/** Holidays in iCalendar form: the text itself, or the address of a file that is read again at an interval. */
export declare const CalendarImport: z.ZodObject<{
    ics: z.ZodOptional<z.ZodString>;
    url: z.ZodOptional<z.ZodString>;
    refresh: z.ZodOptional<z.ZodString>;
    weekends: z.ZodOptional<z.ZodArray<z.ZodEnum<{
        friday: "friday";
        monday: "monday";
        saturday: "saturday";
        sunday: "sunday";
        thursday: "thursday";
        tuesday: "tuesday";
        wednesday: "wednesday";
    }>>>;
}, z.core.$strict>;
export declare const Calendar: z.ZodObject<{
    name: z.ZodString;
    dates: z.ZodArray<z.ZodString>;
    weekends: z.ZodArray<z.ZodEnum<{
        friday: "friday";
        monday: "monday";
        saturday: "saturday";
        sunday: "sunday";
        thursday: "thursday";
        tuesday: "tuesday";
        wednesday: "wednesday";
    }>>;
    source: z.ZodNullable<z.ZodObject<{
        url: z.ZodString;
        refresh: z.ZodString;
        refreshedAt: z.ZodNullable<z.ZodISODateTime>;
        error: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    updatedAt: z.ZodISODateTime;
}, z.core.$strip>;
export declare const ChangedCalendar: z.ZodObject<{
    name: z.ZodString;
    dates: z.ZodArray<z.ZodString>;
    weekends: z.ZodArray<z.ZodEnum<{
        friday: "friday";
        monday: "monday";
        saturday: "saturday";
        sunday: "sunday";
        thursday: "thursday";
        tuesday: "tuesday";
        wednesday: "wednesday";
    }>>;
    source: z.ZodNullable<z.ZodObject<{
        url: z.ZodString;
        refresh: z.ZodString;
        refreshedAt: z.ZodNullable<z.ZodISODateTime>;
        error: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    updatedAt: z.ZodISODateTime;
    retiming: z.ZodInt;
}, z.core.$strip>;
/** The stored form of a calendar: one list of dates and weekday codes, sorted and without repetitions. */
export declare function storeCalendar({ dates, weekends, }: {
    dates: readonly string[];
    weekends: readonly Weekday[];
}): string[];
/** Splits the stored form of a calendar into dates and weekdays. */
export declare function readCalendarEntries(entries: readonly string[]): {
    dates: string[];
    weekends: Weekday[];
};
export {};
