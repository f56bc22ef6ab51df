import { z } from 'zod';
/** A feed shows one schedule, the schedules with a tag, or all of the project. */
export declare const FeedInput: z.ZodObject<{
    name: z.ZodString;
    schedule: z.ZodOptional<z.ZodString>;
    tag: z.ZodOptional<z.ZodString>;
}, z.core.$strict>;
export declare const Feed: z.ZodObject<{
    id: z.ZodInt;
    name: z.ZodString;
    schedule: z.ZodNullable<z.ZodString>;
    tag: z.ZodNullable<z.ZodString>;
    createdAt: z.ZodISODateTime;
    lastUsedAt: z.ZodNullable<z.ZodISODateTime>;
}, z.core.$strip>;
export declare const NewFeed: z.ZodObject<{
    id: z.ZodInt;
    name: z.ZodString;
    schedule: z.ZodNullable<z.ZodString>;
    tag: z.ZodNullable<z.ZodString>;
    createdAt: z.ZodISODateTime;
    lastUsedAt: z.ZodNullable<z.ZodISODateTime>;
    token: z.ZodString;
    url: z.ZodString;
}, z.core.$strip>;
