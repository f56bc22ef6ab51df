import { z } from 'zod';
/** The maximum number of items on a page. */
export declare const Limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
/**
 * The start of a page: the `nextCursor` of the previous page. The text is opaque, and stays valid after rows were added
 * or removed.
 */
export declare const Cursor: z.ZodString;
export declare const listOf: <T extends z.ZodType>(item: T) => z.ZodObject<{
    items: z.ZodArray<T>;
    nextCursor: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
/** The last instant that can be written as RFC 3339. */
export declare const LATEST_AT: number;
/**
 * An instant given by a client: RFC 3339, with `Z` or an offset. It is passed on in UTC, because Postgres refuses the
 * year 0000 and offsets beyond 16 hours, which RFC 3339 allows.
 */
export declare const InstantInput: z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>;
/** An instant given by a client, parsed to milliseconds. */
export declare const MomentInput: z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>;
export declare const NullableInstant: z.ZodNullable<z.ZodISODateTime>;
