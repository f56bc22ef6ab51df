import { z } from 'zod';
export declare const MOST_AT_ONCE = 10000;
/** Items are validated one by one, so an invalid item does not reject the others. */
export declare const BulkInput: z.ZodObject<{
    items: z.ZodArray<z.ZodUnknown>;
}, z.core.$strict>;
export declare const BulkResult: z.ZodObject<{
    index: z.ZodInt;
    id: z.ZodNullable<z.ZodString>;
    result: z.ZodEnum<{
        conflict: "conflict";
        created: "created";
        existing: "existing";
        invalid: "invalid";
        over_limit: "over_limit";
    }>;
    nextRunAt: z.ZodNullable<z.ZodISODateTime>;
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
export declare const BulkAnswer: z.ZodObject<{
    created: z.ZodInt;
    existing: z.ZodInt;
    refused: z.ZodInt;
    items: z.ZodArray<z.ZodObject<{
        index: z.ZodInt;
        id: z.ZodNullable<z.ZodString>;
        result: z.ZodEnum<{
            conflict: "conflict";
            created: "created";
            existing: "existing";
            invalid: "invalid";
            over_limit: "over_limit";
        }>;
        nextRunAt: z.ZodNullable<z.ZodISODateTime>;
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
/** The filters of a list of schedules. */
export declare const scheduleFilter: {
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
};
export declare const ScheduleFilter: z.ZodObject<{
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
}, z.core.$strict>;
export declare const BULK_ACTIONS: readonly ['pause', 'resume', 'cancel', 'trigger', 'skip-next', 'reschedule', 'backfill'];
/** A bulk action takes the same fields as the action on a single schedule. */
export declare const ActionInput: z.ZodObject<{
    action: z.ZodEnum<{
        backfill: "backfill";
        cancel: "cancel";
        pause: "pause";
        reschedule: "reschedule";
        resume: "resume";
        "skip-next": "skip-next";
        trigger: "trigger";
    }>;
    filter: z.ZodDefault<z.ZodObject<{
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
    dryRun: z.ZodDefault<z.ZodBoolean>;
    background: z.ZodDefault<z.ZodBoolean>;
    note: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    until: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>>;
    at: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>;
    from: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>;
    to: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>;
    cursor: z.ZodOptional<z.ZodString>;
}, z.core.$strict>;
export declare const ActionAnswer: z.ZodObject<{
    matched: z.ZodInt;
    changed: z.ZodInt;
    refused: z.ZodInt;
    refusals: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        reason: z.ZodString;
    }, z.core.$strip>>;
    id: z.ZodNullable<z.ZodUUID>;
    action: z.ZodEnum<{
        backfill: "backfill";
        cancel: "cancel";
        pause: "pause";
        reschedule: "reschedule";
        resume: "resume";
        "skip-next": "skip-next";
        trigger: "trigger";
    }>;
    dryRun: z.ZodBoolean;
    status: z.ZodEnum<{
        done: "done";
        failed: "failed";
        lost: "lost";
        running: "running";
    }>;
    preview: z.ZodNullable<z.ZodObject<{
        complete: z.ZodBoolean;
        examples: z.ZodArray<z.ZodObject<{
            id: z.ZodString;
            name: z.ZodNullable<z.ZodString>;
            nextRunAt: z.ZodNullable<z.ZodISODateTime>;
        }, z.core.$strip>>;
        next24h: z.ZodObject<{
            fires: z.ZodInt;
            complete: z.ZodBoolean;
        }, z.core.$strip>;
    }, z.core.$strip>>;
    nextCursor: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
/** How far a bulk action has got. */
export declare const ActionProgress: z.ZodObject<{
    matched: z.ZodInt;
    changed: z.ZodInt;
    refused: z.ZodInt;
    refusals: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        reason: z.ZodString;
    }, z.core.$strip>>;
    id: z.ZodUUID;
    action: z.ZodEnum<{
        backfill: "backfill";
        cancel: "cancel";
        pause: "pause";
        reschedule: "reschedule";
        resume: "resume";
        "skip-next": "skip-next";
        trigger: "trigger";
    }>;
    actor: z.ZodString;
    status: z.ZodEnum<{
        done: "done";
        failed: "failed";
        lost: "lost";
        running: "running";
    }>;
    total: z.ZodNullable<z.ZodInt>;
    error: z.ZodNullable<z.ZodString>;
    nextCursor: z.ZodNullable<z.ZodString>;
    startedAt: z.ZodISODateTime;
    reportedAt: z.ZodISODateTime;
    finishedAt: z.ZodNullable<z.ZodISODateTime>;
}, z.core.$strip>;
