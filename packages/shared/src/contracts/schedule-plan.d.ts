import { z } from 'zod';
/** Maximum number of schedules in one plan. */
export declare const MOST_PLANNED_AT_ONCE = 1000;
export declare const PlanInput: z.ZodObject<{
    items: z.ZodArray<z.ZodUnknown>;
}, z.core.$strict>;
export declare const PlannedSchedule: z.ZodObject<{
    index: z.ZodInt;
    id: z.ZodNullable<z.ZodString>;
    action: z.ZodEnum<{
        change: "change";
        create: "create";
        invalid: "invalid";
        keep: "keep";
        restore: "restore";
    }>;
    version: z.ZodNullable<z.ZodInt>;
    status: z.ZodNullable<z.ZodEnum<{
        active: "active";
        cancelled: "cancelled";
        finished: "finished";
        paused: "paused";
    }>>;
    tags: z.ZodNullable<z.ZodArray<z.ZodString>>;
    changes: z.ZodArray<z.ZodObject<{
        field: z.ZodString;
        before: z.ZodUnknown;
        after: z.ZodUnknown;
    }, z.core.$strip>>;
    next: z.ZodNullable<z.ZodArray<z.ZodISODateTime>>;
    nextBefore: z.ZodNullable<z.ZodArray<z.ZodISODateTime>>;
    warnings: z.ZodArray<z.ZodString>;
    errors: z.ZodOptional<z.ZodArray<z.ZodObject<{
        field: z.ZodString;
        code: z.ZodEnum<{
            invalid_value: "invalid_value";
            missing: "missing";
            unknown_field: "unknown_field";
        }>;
        message: z.ZodString;
    }, z.core.$strip>>>;
}, z.core.$strip>;
export type PlannedSchedule = z.infer<typeof PlannedSchedule>;
export declare const PlanAnswer: z.ZodObject<{
    items: z.ZodArray<z.ZodObject<{
        index: z.ZodInt;
        id: z.ZodNullable<z.ZodString>;
        action: z.ZodEnum<{
            change: "change";
            create: "create";
            invalid: "invalid";
            keep: "keep";
            restore: "restore";
        }>;
        version: z.ZodNullable<z.ZodInt>;
        status: z.ZodNullable<z.ZodEnum<{
            active: "active";
            cancelled: "cancelled";
            finished: "finished";
            paused: "paused";
        }>>;
        tags: z.ZodNullable<z.ZodArray<z.ZodString>>;
        changes: z.ZodArray<z.ZodObject<{
            field: z.ZodString;
            before: z.ZodUnknown;
            after: z.ZodUnknown;
        }, z.core.$strip>>;
        next: z.ZodNullable<z.ZodArray<z.ZodISODateTime>>;
        nextBefore: z.ZodNullable<z.ZodArray<z.ZodISODateTime>>;
        warnings: z.ZodArray<z.ZodString>;
        errors: z.ZodOptional<z.ZodArray<z.ZodObject<{
            field: z.ZodString;
            code: z.ZodEnum<{
                invalid_value: "invalid_value";
                missing: "missing";
                unknown_field: "unknown_field";
            }>;
            message: z.ZodString;
        }, z.core.$strip>>>;
    }, z.core.$strip>>;
}, z.core.$strip>;
