import { z } from 'zod';
/** The filter for dead letters. */
export declare const deadLetterFilter: {
    schedule: z.ZodOptional<z.ZodString>;
    receiver: z.ZodOptional<z.ZodString>;
    error: z.ZodOptional<z.ZodString>;
    from: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>;
    to: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>;
};
/** Runs that failed for good, by receiver and error. */
export declare const DeadLetters: z.ZodObject<{
    runs: z.ZodInt;
    complete: z.ZodBoolean;
    groups: z.ZodArray<z.ZodObject<{
        receiver: z.ZodString;
        error: z.ZodString;
        runs: z.ZodInt;
        schedules: z.ZodInt;
        examples: z.ZodArray<z.ZodString>;
        oldestAt: z.ZodISODateTime;
        latestAt: z.ZodISODateTime;
    }, z.core.$strip>>;
}, z.core.$strip>;
/** The failed runs to replay, and the rate at which they are tried. */
export declare const ReplayInput: z.ZodObject<{
    schedule: z.ZodOptional<z.ZodString>;
    receiver: z.ZodOptional<z.ZodString>;
    error: z.ZodOptional<z.ZodString>;
    schedules: z.ZodOptional<z.ZodArray<z.ZodString>>;
    filter: z.ZodOptional<z.ZodObject<{
        status: z.ZodOptional<z.ZodEnum<{
            active: "active";
            cancelled: "cancelled";
            finished: "finished";
            paused: "paused";
        }>>;
        tag: z.ZodOptional<z.ZodString>;
        q: z.ZodOptional<z.ZodString>;
        target: z.ZodOptional<z.ZodEnum<{
            call: "call";
            handler: "handler";
            heartbeat: "heartbeat";
            queue: "queue";
            webhook: "webhook";
        }>>;
        dueBefore: z.ZodOptional<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>>;
        dueAfter: z.ZodOptional<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>>;
        attention: z.ZodOptional<z.ZodEnum<{
            blocked: "blocked";
            breaching: "breaching";
            failing: "failing";
            overdue: "overdue";
            paused: "paused";
        }>>;
    }, z.core.$strict>>;
    from: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>;
    to: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>;
    limit: z.ZodDefault<z.ZodInt>;
    perSecond: z.ZodDefault<z.ZodNumber>;
    dryRun: z.ZodDefault<z.ZodBoolean>;
}, z.core.$strict>;
export declare const ReplayAnswer: z.ZodObject<{
    dryRun: z.ZodBoolean;
    replayed: z.ZodInt;
    hasMore: z.ZodBoolean;
    preview: z.ZodNullable<z.ZodObject<{
        runs: z.ZodInt;
        schedules: z.ZodInt;
        examples: z.ZodArray<z.ZodString>;
        oldestAt: z.ZodNullable<z.ZodISODateTime>;
        latestAt: z.ZodNullable<z.ZodISODateTime>;
    }, z.core.$strip>>;
}, z.core.$strip>;
