import { z } from 'zod';
/** Ids are part of URLs and Redis keys, so only letters, digits and a few signs are allowed. */
export declare const ScheduleKey: z.ZodString;
/** An ISO 8601 duration of fixed length, within bounds. */
export declare const duration: ({ leastMs, mostMs, example, }: {
    leastMs: number;
    mostMs: number;
    example: string;
}) => z.ZodString;
/** Turns a check that returns a message or null into a zod refinement. */
export declare const refuseWith: <T>(problemOf: (value: T) => string | null) => (value: T, context: z.core.$RefinementCtx) => void;
/**
 * The URL of a receiver. Private addresses are checked later, because the installation decides whether they are
 * allowed.
 */
export declare const WebUrl: z.ZodString;
/** The Postgres schema that holds every table. */
export declare const DatabaseSchema: z.ZodString;
/** The key that encrypts secrets. */
export declare const EncryptionKey: z.ZodString;
export declare const SECOND_MS = 1000;
export declare const HOUR_MS = 3600000;
export declare const DAY_MS = 86400000;
/** An instant with an offset, or a local time in the schedule's zone. The rule parser tells them apart. */
export declare const InstantText: z.ZodString;
export declare const Instant: z.ZodISODateTime;
