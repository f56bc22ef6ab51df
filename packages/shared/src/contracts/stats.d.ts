import { z } from 'zod';
export declare const StatsStep: z.ZodObject<{
    succeeded: z.ZodInt;
    failed: z.ZodInt;
    skipped: z.ZodInt;
    cancelled: z.ZodInt;
    running: z.ZodInt;
    lateness: z.ZodObject<{
        count: z.ZodInt;
        p50Ms: z.ZodNullable<z.ZodNumber>;
        p99Ms: z.ZodNullable<z.ZodNumber>;
    }, z.core.$strip>;
    at: z.ZodISODateTime;
}, z.core.$strip>;
/** Fires by outcome and lateness, step by step. */
export declare const Stats: z.ZodObject<{
    from: z.ZodISODateTime;
    to: z.ZodISODateTime;
    step: z.ZodString;
    complete: z.ZodBoolean;
    total: z.ZodObject<{
        succeeded: z.ZodInt;
        failed: z.ZodInt;
        skipped: z.ZodInt;
        cancelled: z.ZodInt;
        running: z.ZodInt;
        lateness: z.ZodObject<{
            count: z.ZodInt;
            p50Ms: z.ZodNullable<z.ZodNumber>;
            p99Ms: z.ZodNullable<z.ZodNumber>;
        }, z.core.$strip>;
    }, z.core.$strip>;
    items: z.ZodArray<z.ZodObject<{
        succeeded: z.ZodInt;
        failed: z.ZodInt;
        skipped: z.ZodInt;
        cancelled: z.ZodInt;
        running: z.ZodInt;
        lateness: z.ZodObject<{
            count: z.ZodInt;
            p50Ms: z.ZodNullable<z.ZodNumber>;
            p99Ms: z.ZodNullable<z.ZodNumber>;
        }, z.core.$strip>;
        at: z.ZodISODateTime;
    }, z.core.$strip>>;
}, z.core.$strip>;
