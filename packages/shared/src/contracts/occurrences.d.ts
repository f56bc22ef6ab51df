import { z } from 'zod';
export declare const Occurrence: z.ZodObject<{
    at: z.ZodISODateTime;
    local: z.ZodString;
    dueAt: z.ZodISODateTime;
    remark: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
export declare const Occurrences: z.ZodObject<{
    items: z.ZodArray<z.ZodObject<{
        at: z.ZodISODateTime;
        local: z.ZodString;
        dueAt: z.ZodISODateTime;
        remark: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    nextCursor: z.ZodNullable<z.ZodString>;
    text: z.ZodString;
}, z.core.$strip>;
export declare const RulePreviewInput: z.ZodObject<{
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodOptional<z.ZodString>;
    startAt: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    endAt: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    dst: z.ZodOptional<z.ZodObject<{
        gap: z.ZodOptional<z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>>;
        overlap: z.ZodOptional<z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>>;
    }, z.core.$strict>>;
    leapDay: z.ZodOptional<z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>>;
    exclusions: z.ZodOptional<z.ZodArray<z.ZodString>>;
    calendars: z.ZodOptional<z.ZodArray<z.ZodString>>;
    onExcluded: z.ZodOptional<z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>>;
    businessDays: z.ZodOptional<z.ZodArray<z.ZodInt>>;
    from: z.ZodOptional<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>>;
    limit: z.ZodDefault<z.ZodInt>;
}, z.core.$strict>;
export declare const RulePreview: z.ZodObject<{
    text: z.ZodString;
    occurrences: z.ZodArray<z.ZodObject<{
        at: z.ZodISODateTime;
        local: z.ZodString;
        remark: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    excluded: z.ZodArray<z.ZodObject<{
        at: z.ZodISODateTime;
        local: z.ZodString;
    }, z.core.$strip>>;
    warnings: z.ZodArray<z.ZodString>;
}, z.core.$strip>;
/** A schedule that a clock change affects within a year. */
export declare const RuleLint: z.ZodObject<{
    schedule: z.ZodString;
    name: z.ZodNullable<z.ZodString>;
    timezone: z.ZodString;
    text: z.ZodString;
    changes: z.ZodArray<z.ZodObject<{
        kind: z.ZodEnum<{
            gap: "gap";
            overlap: "overlap";
        }>;
        at: z.ZodISODateTime;
        local: z.ZodString;
        fires: z.ZodBoolean;
        effect: z.ZodString;
    }, z.core.$strip>>;
}, z.core.$strip>;
export declare const RuleLints: z.ZodObject<{
    items: z.ZodArray<z.ZodObject<{
        schedule: z.ZodString;
        name: z.ZodNullable<z.ZodString>;
        timezone: z.ZodString;
        text: z.ZodString;
        changes: z.ZodArray<z.ZodObject<{
            kind: z.ZodEnum<{
                gap: "gap";
                overlap: "overlap";
            }>;
            at: z.ZodISODateTime;
            local: z.ZodString;
            fires: z.ZodBoolean;
            effect: z.ZodString;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    nextCursor: z.ZodNullable<z.ZodString>;
    lookedAt: z.ZodInt;
}, z.core.$strip>;
/** The outcome of one occurrence, or of a stretch of occurrences with the same outcome. */
export declare const LedgerEntry: z.ZodObject<{
    at: z.ZodISODateTime;
    local: z.ZodString;
    until: z.ZodNullable<z.ZodISODateTime>;
    count: z.ZodInt;
    origin: z.ZodEnum<{
        backfill: "backfill";
        rule: "rule";
        trigger: "trigger";
    }>;
    status: z.ZodEnum<{
        cancelled: "cancelled";
        due: "due";
        failed: "failed";
        paused: "paused";
        queued: "queued";
        retrying: "retrying";
        running: "running";
        skipped: "skipped";
        succeeded: "succeeded";
        unknown: "unknown";
        upcoming: "upcoming";
    }>;
    why: z.ZodString;
    story: z.ZodArray<z.ZodObject<{
        at: z.ZodISODateTime;
        until: z.ZodNullable<z.ZodISODateTime>;
        kind: z.ZodEnum<{
            attempt: "attempt";
            backfilled: "backfilled";
            cancelled: "cancelled";
            claimed: "claimed";
            deferred: "deferred";
            due: "due";
            edited: "edited";
            failed: "failed";
            named: "named";
            paused: "paused";
            queued: "queued";
            replayed: "replayed";
            reported: "reported";
            rescheduled: "rescheduled";
            resumed: "resumed";
            skipped: "skipped";
            succeeded: "succeeded";
            triggered: "triggered";
        }>;
        text: z.ZodString;
        actor: z.ZodNullable<z.ZodString>;
        attempt: z.ZodNullable<z.ZodInt>;
        outcome: z.ZodNullable<z.ZodEnum<{
            cancelled: "cancelled";
            failed: "failed";
            handed_back: "handed_back";
            open: "open";
            succeeded: "succeeded";
            unknown: "unknown";
        }>>;
        reasonCode: z.ZodNullable<z.ZodString>;
        count: z.ZodInt;
        version: z.ZodNullable<z.ZodInt>;
    }, z.core.$strip>>;
    runId: z.ZodNullable<z.ZodString>;
    version: z.ZodInt;
    remark: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
/** The differences between the occurrences that rules named and the runs that exist. */
export declare const OccurrenceAudit: z.ZodObject<{
    from: z.ZodISODateTime;
    to: z.ZodISODateTime;
    schedules: z.ZodInt;
    occurrences: z.ZodInt;
    items: z.ZodArray<z.ZodObject<{
        scheduleId: z.ZodString;
        kind: z.ZodEnum<{
            missing: "missing";
            overdue: "overdue";
            unnamed: "unnamed";
        }>;
        from: z.ZodISODateTime;
        to: z.ZodISODateTime;
        count: z.ZodInt;
        version: z.ZodInt;
        message: z.ZodString;
    }, z.core.$strip>>;
    nextCursor: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
export declare const Forecast: z.ZodObject<{
    from: z.ZodISODateTime;
    to: z.ZodISODateTime;
    total: z.ZodInt;
    complete: z.ZodBoolean;
    minutes: z.ZodArray<z.ZodObject<{
        at: z.ZodISODateTime;
        fires: z.ZodInt;
    }, z.core.$strip>>;
}, z.core.$strip>;
/** The schedules that make up one minute of the forecast. */
export declare const ForecastMinute: z.ZodObject<{
    at: z.ZodISODateTime;
    fires: z.ZodInt;
    complete: z.ZodBoolean;
    schedules: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        name: z.ZodNullable<z.ZodString>;
        rule: z.ZodObject<{
            at: z.ZodOptional<z.ZodString>;
            in: z.ZodOptional<z.ZodString>;
            every: z.ZodOptional<z.ZodString>;
            cron: z.ZodOptional<z.ZodString>;
            rrule: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        targetType: z.ZodEnum<{
            call: "call";
            handler: "handler";
            heartbeat: "heartbeat";
            queue: "queue";
            webhook: "webhook";
        }>;
        nextRunAt: z.ZodISODateTime;
    }, z.core.$strip>>;
}, z.core.$strip>;
