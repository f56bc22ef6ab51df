import { z } from 'zod';
export declare const SCHEDULE_STATUSES: readonly ['active', 'paused', 'finished', 'cancelled'];
/** A schedule as the API shows it: the definition with all defaults filled in, and its state. */
export declare const Schedule: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodNullable<z.ZodString>;
    tags: z.ZodArray<z.ZodString>;
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodString;
    startAt: z.ZodNullable<z.ZodISODateTime>;
    endAt: z.ZodNullable<z.ZodISODateTime>;
    maxRuns: z.ZodNullable<z.ZodInt>;
    jitter: z.ZodNullable<z.ZodString>;
    dst: z.ZodObject<{
        gap: z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>;
        overlap: z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>;
    }, z.core.$strip>;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    exclusions: z.ZodArray<z.ZodString>;
    calendars: z.ZodArray<z.ZodString>;
    onExcluded: z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>;
    businessDays: z.ZodArray<z.ZodInt>;
    misfire: z.ZodObject<{
        policy: z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>;
        grace: z.ZodString;
        limit: z.ZodInt;
    }, z.core.$strip>;
    overlap: z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>;
    maxConcurrentRuns: z.ZodNullable<z.ZodInt>;
    dependsOn: z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strip>>;
    retry: z.ZodObject<{
        maxAttempts: z.ZodInt;
        baseDelay: z.ZodString;
        maxDelay: z.ZodString;
        jitter: z.ZodBoolean;
    }, z.core.$strip>;
    timeout: z.ZodString;
    pauseAfterFailures: z.ZodNullable<z.ZodInt>;
    onSuccess: z.ZodNullable<z.ZodString>;
    onFailure: z.ZodNullable<z.ZodString>;
    slo: z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    target: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"webhook">;
        url: z.ZodString;
        method: z.ZodOptional<z.ZodEnum<{
            DELETE: "DELETE";
            GET: "GET";
            PATCH: "PATCH";
            POST: "POST";
            PUT: "PUT";
        }>>;
        body: z.ZodOptional<z.ZodEnum<{
            envelope: "envelope";
            payload: "payload";
        }>>;
        headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"queue">;
        queue: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"handler">;
        name: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"call">;
        number: z.ZodString;
        assistantId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        phoneNumberId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"heartbeat">;
        grace: z.ZodDefault<z.ZodString>;
        startGrace: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>], "type">;
    payload: z.ZodUnknown;
    status: z.ZodEnum<{
        active: "active";
        cancelled: "cancelled";
        finished: "finished";
        paused: "paused";
    }>;
    version: z.ZodInt;
    nextRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastEnqueuedAt: z.ZodNullable<z.ZodISODateTime>;
    runsTotal: z.ZodInt;
    pause: z.ZodNullable<z.ZodObject<{
        at: z.ZodNullable<z.ZodISODateTime>;
        until: z.ZodNullable<z.ZodISODateTime>;
        by: z.ZodNullable<z.ZodString>;
        note: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
}, z.core.$strip>;
export type Schedule = z.infer<typeof Schedule>;
/** The outcome of one of the latest runs. A list shows a strip of them beside each schedule. */
export declare const RecentRun: z.ZodObject<{
    runId: z.ZodString;
    at: z.ZodISODateTime;
    origin: z.ZodEnum<{
        backfill: "backfill";
        rule: "rule";
        trigger: "trigger";
    }>;
    status: z.ZodEnum<{
        cancelled: "cancelled";
        failed: "failed";
        queued: "queued";
        retrying: "retrying";
        running: "running";
        skipped: "skipped";
        succeeded: "succeeded";
    }>;
    reasonCode: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
export declare const ListedSchedule: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodNullable<z.ZodString>;
    tags: z.ZodArray<z.ZodString>;
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodString;
    startAt: z.ZodNullable<z.ZodISODateTime>;
    endAt: z.ZodNullable<z.ZodISODateTime>;
    maxRuns: z.ZodNullable<z.ZodInt>;
    jitter: z.ZodNullable<z.ZodString>;
    dst: z.ZodObject<{
        gap: z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>;
        overlap: z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>;
    }, z.core.$strip>;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    exclusions: z.ZodArray<z.ZodString>;
    calendars: z.ZodArray<z.ZodString>;
    onExcluded: z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>;
    businessDays: z.ZodArray<z.ZodInt>;
    misfire: z.ZodObject<{
        policy: z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>;
        grace: z.ZodString;
        limit: z.ZodInt;
    }, z.core.$strip>;
    overlap: z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>;
    maxConcurrentRuns: z.ZodNullable<z.ZodInt>;
    dependsOn: z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strip>>;
    retry: z.ZodObject<{
        maxAttempts: z.ZodInt;
        baseDelay: z.ZodString;
        maxDelay: z.ZodString;
        jitter: z.ZodBoolean;
    }, z.core.$strip>;
    timeout: z.ZodString;
    pauseAfterFailures: z.ZodNullable<z.ZodInt>;
    onSuccess: z.ZodNullable<z.ZodString>;
    onFailure: z.ZodNullable<z.ZodString>;
    slo: z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    target: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"webhook">;
        url: z.ZodString;
        method: z.ZodOptional<z.ZodEnum<{
            DELETE: "DELETE";
            GET: "GET";
            PATCH: "PATCH";
            POST: "POST";
            PUT: "PUT";
        }>>;
        body: z.ZodOptional<z.ZodEnum<{
            envelope: "envelope";
            payload: "payload";
        }>>;
        headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"queue">;
        queue: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"handler">;
        name: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"call">;
        number: z.ZodString;
        assistantId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        phoneNumberId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"heartbeat">;
        grace: z.ZodDefault<z.ZodString>;
        startGrace: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>], "type">;
    payload: z.ZodUnknown;
    status: z.ZodEnum<{
        active: "active";
        cancelled: "cancelled";
        finished: "finished";
        paused: "paused";
    }>;
    version: z.ZodInt;
    nextRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastEnqueuedAt: z.ZodNullable<z.ZodISODateTime>;
    runsTotal: z.ZodInt;
    pause: z.ZodNullable<z.ZodObject<{
        at: z.ZodNullable<z.ZodISODateTime>;
        until: z.ZodNullable<z.ZodISODateTime>;
        by: z.ZodNullable<z.ZodString>;
        note: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
    text: z.ZodOptional<z.ZodString>;
    recent: z.ZodOptional<z.ZodArray<z.ZodObject<{
        runId: z.ZodString;
        at: z.ZodISODateTime;
        origin: z.ZodEnum<{
            backfill: "backfill";
            rule: "rule";
            trigger: "trigger";
        }>;
        status: z.ZodEnum<{
            cancelled: "cancelled";
            failed: "failed";
            queued: "queued";
            retrying: "retrying";
            running: "running";
            skipped: "skipped";
            succeeded: "succeeded";
        }>;
        reasonCode: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>>;
}, z.core.$strip>;
/** A definition of a schedule: the current one, or one that an edit has replaced. */
export declare const ScheduleVersion: z.ZodObject<{
    name: z.ZodNullable<z.ZodString>;
    tags: z.ZodArray<z.ZodString>;
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodString;
    startAt: z.ZodNullable<z.ZodISODateTime>;
    endAt: z.ZodNullable<z.ZodISODateTime>;
    maxRuns: z.ZodNullable<z.ZodInt>;
    jitter: z.ZodNullable<z.ZodString>;
    dst: z.ZodObject<{
        gap: z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>;
        overlap: z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>;
    }, z.core.$strip>;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    exclusions: z.ZodArray<z.ZodString>;
    calendars: z.ZodArray<z.ZodString>;
    onExcluded: z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>;
    businessDays: z.ZodArray<z.ZodInt>;
    misfire: z.ZodObject<{
        policy: z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>;
        grace: z.ZodString;
        limit: z.ZodInt;
    }, z.core.$strip>;
    overlap: z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>;
    maxConcurrentRuns: z.ZodNullable<z.ZodInt>;
    dependsOn: z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strip>>;
    retry: z.ZodObject<{
        maxAttempts: z.ZodInt;
        baseDelay: z.ZodString;
        maxDelay: z.ZodString;
        jitter: z.ZodBoolean;
    }, z.core.$strip>;
    timeout: z.ZodString;
    pauseAfterFailures: z.ZodNullable<z.ZodInt>;
    onSuccess: z.ZodNullable<z.ZodString>;
    onFailure: z.ZodNullable<z.ZodString>;
    slo: z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    target: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"webhook">;
        url: z.ZodString;
        method: z.ZodOptional<z.ZodEnum<{
            DELETE: "DELETE";
            GET: "GET";
            PATCH: "PATCH";
            POST: "POST";
            PUT: "PUT";
        }>>;
        body: z.ZodOptional<z.ZodEnum<{
            envelope: "envelope";
            payload: "payload";
        }>>;
        headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"queue">;
        queue: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"handler">;
        name: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"call">;
        number: z.ZodString;
        assistantId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        phoneNumberId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"heartbeat">;
        grace: z.ZodDefault<z.ZodString>;
        startGrace: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>], "type">;
    payload: z.ZodUnknown;
    version: z.ZodInt;
    definedAt: z.ZodISODateTime;
    definedBy: z.ZodString;
    supersededAt: z.ZodNullable<z.ZodISODateTime>;
    next: z.ZodArray<z.ZodISODateTime>;
    nextBefore: z.ZodNullable<z.ZodArray<z.ZodISODateTime>>;
}, z.core.$strip>;
/** The responses of single operations: the schedule after the change, with warnings and affected runs. */
export declare const CreatedSchedule: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodNullable<z.ZodString>;
    tags: z.ZodArray<z.ZodString>;
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodString;
    startAt: z.ZodNullable<z.ZodISODateTime>;
    endAt: z.ZodNullable<z.ZodISODateTime>;
    maxRuns: z.ZodNullable<z.ZodInt>;
    jitter: z.ZodNullable<z.ZodString>;
    dst: z.ZodObject<{
        gap: z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>;
        overlap: z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>;
    }, z.core.$strip>;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    exclusions: z.ZodArray<z.ZodString>;
    calendars: z.ZodArray<z.ZodString>;
    onExcluded: z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>;
    businessDays: z.ZodArray<z.ZodInt>;
    misfire: z.ZodObject<{
        policy: z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>;
        grace: z.ZodString;
        limit: z.ZodInt;
    }, z.core.$strip>;
    overlap: z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>;
    maxConcurrentRuns: z.ZodNullable<z.ZodInt>;
    dependsOn: z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strip>>;
    retry: z.ZodObject<{
        maxAttempts: z.ZodInt;
        baseDelay: z.ZodString;
        maxDelay: z.ZodString;
        jitter: z.ZodBoolean;
    }, z.core.$strip>;
    timeout: z.ZodString;
    pauseAfterFailures: z.ZodNullable<z.ZodInt>;
    onSuccess: z.ZodNullable<z.ZodString>;
    onFailure: z.ZodNullable<z.ZodString>;
    slo: z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    target: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"webhook">;
        url: z.ZodString;
        method: z.ZodOptional<z.ZodEnum<{
            DELETE: "DELETE";
            GET: "GET";
            PATCH: "PATCH";
            POST: "POST";
            PUT: "PUT";
        }>>;
        body: z.ZodOptional<z.ZodEnum<{
            envelope: "envelope";
            payload: "payload";
        }>>;
        headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"queue">;
        queue: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"handler">;
        name: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"call">;
        number: z.ZodString;
        assistantId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        phoneNumberId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"heartbeat">;
        grace: z.ZodDefault<z.ZodString>;
        startGrace: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>], "type">;
    payload: z.ZodUnknown;
    status: z.ZodEnum<{
        active: "active";
        cancelled: "cancelled";
        finished: "finished";
        paused: "paused";
    }>;
    version: z.ZodInt;
    nextRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastEnqueuedAt: z.ZodNullable<z.ZodISODateTime>;
    runsTotal: z.ZodInt;
    pause: z.ZodNullable<z.ZodObject<{
        at: z.ZodNullable<z.ZodISODateTime>;
        until: z.ZodNullable<z.ZodISODateTime>;
        by: z.ZodNullable<z.ZodString>;
        note: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
    warnings: z.ZodArray<z.ZodString>;
}, z.core.$strip>;
export declare const EditedSchedule: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodNullable<z.ZodString>;
    tags: z.ZodArray<z.ZodString>;
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodString;
    startAt: z.ZodNullable<z.ZodISODateTime>;
    endAt: z.ZodNullable<z.ZodISODateTime>;
    maxRuns: z.ZodNullable<z.ZodInt>;
    jitter: z.ZodNullable<z.ZodString>;
    dst: z.ZodObject<{
        gap: z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>;
        overlap: z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>;
    }, z.core.$strip>;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    exclusions: z.ZodArray<z.ZodString>;
    calendars: z.ZodArray<z.ZodString>;
    onExcluded: z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>;
    businessDays: z.ZodArray<z.ZodInt>;
    misfire: z.ZodObject<{
        policy: z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>;
        grace: z.ZodString;
        limit: z.ZodInt;
    }, z.core.$strip>;
    overlap: z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>;
    maxConcurrentRuns: z.ZodNullable<z.ZodInt>;
    dependsOn: z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strip>>;
    retry: z.ZodObject<{
        maxAttempts: z.ZodInt;
        baseDelay: z.ZodString;
        maxDelay: z.ZodString;
        jitter: z.ZodBoolean;
    }, z.core.$strip>;
    timeout: z.ZodString;
    pauseAfterFailures: z.ZodNullable<z.ZodInt>;
    onSuccess: z.ZodNullable<z.ZodString>;
    onFailure: z.ZodNullable<z.ZodString>;
    slo: z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    target: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"webhook">;
        url: z.ZodString;
        method: z.ZodOptional<z.ZodEnum<{
            DELETE: "DELETE";
            GET: "GET";
            PATCH: "PATCH";
            POST: "POST";
            PUT: "PUT";
        }>>;
        body: z.ZodOptional<z.ZodEnum<{
            envelope: "envelope";
            payload: "payload";
        }>>;
        headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"queue">;
        queue: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"handler">;
        name: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"call">;
        number: z.ZodString;
        assistantId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        phoneNumberId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"heartbeat">;
        grace: z.ZodDefault<z.ZodString>;
        startGrace: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>], "type">;
    payload: z.ZodUnknown;
    status: z.ZodEnum<{
        active: "active";
        cancelled: "cancelled";
        finished: "finished";
        paused: "paused";
    }>;
    version: z.ZodInt;
    nextRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastEnqueuedAt: z.ZodNullable<z.ZodISODateTime>;
    runsTotal: z.ZodInt;
    pause: z.ZodNullable<z.ZodObject<{
        at: z.ZodNullable<z.ZodISODateTime>;
        until: z.ZodNullable<z.ZodISODateTime>;
        by: z.ZodNullable<z.ZodString>;
        note: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
    warnings: z.ZodArray<z.ZodString>;
    inFlight: z.ZodArray<z.ZodString>;
}, z.core.$strip>;
export declare const CancelledSchedule: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodNullable<z.ZodString>;
    tags: z.ZodArray<z.ZodString>;
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodString;
    startAt: z.ZodNullable<z.ZodISODateTime>;
    endAt: z.ZodNullable<z.ZodISODateTime>;
    maxRuns: z.ZodNullable<z.ZodInt>;
    jitter: z.ZodNullable<z.ZodString>;
    dst: z.ZodObject<{
        gap: z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>;
        overlap: z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>;
    }, z.core.$strip>;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    exclusions: z.ZodArray<z.ZodString>;
    calendars: z.ZodArray<z.ZodString>;
    onExcluded: z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>;
    businessDays: z.ZodArray<z.ZodInt>;
    misfire: z.ZodObject<{
        policy: z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>;
        grace: z.ZodString;
        limit: z.ZodInt;
    }, z.core.$strip>;
    overlap: z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>;
    maxConcurrentRuns: z.ZodNullable<z.ZodInt>;
    dependsOn: z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strip>>;
    retry: z.ZodObject<{
        maxAttempts: z.ZodInt;
        baseDelay: z.ZodString;
        maxDelay: z.ZodString;
        jitter: z.ZodBoolean;
    }, z.core.$strip>;
    timeout: z.ZodString;
    pauseAfterFailures: z.ZodNullable<z.ZodInt>;
    onSuccess: z.ZodNullable<z.ZodString>;
    onFailure: z.ZodNullable<z.ZodString>;
    slo: z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    target: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"webhook">;
        url: z.ZodString;
        method: z.ZodOptional<z.ZodEnum<{
            DELETE: "DELETE";
            GET: "GET";
            PATCH: "PATCH";
            POST: "POST";
            PUT: "PUT";
        }>>;
        body: z.ZodOptional<z.ZodEnum<{
            envelope: "envelope";
            payload: "payload";
        }>>;
        headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"queue">;
        queue: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"handler">;
        name: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"call">;
        number: z.ZodString;
        assistantId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        phoneNumberId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"heartbeat">;
        grace: z.ZodDefault<z.ZodString>;
        startGrace: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>], "type">;
    payload: z.ZodUnknown;
    status: z.ZodEnum<{
        active: "active";
        cancelled: "cancelled";
        finished: "finished";
        paused: "paused";
    }>;
    version: z.ZodInt;
    nextRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastEnqueuedAt: z.ZodNullable<z.ZodISODateTime>;
    runsTotal: z.ZodInt;
    pause: z.ZodNullable<z.ZodObject<{
        at: z.ZodNullable<z.ZodISODateTime>;
        until: z.ZodNullable<z.ZodISODateTime>;
        by: z.ZodNullable<z.ZodString>;
        note: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
    inFlight: z.ZodArray<z.ZodString>;
    purged: z.ZodBoolean;
}, z.core.$strip>;
export declare const TriggeredSchedule: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodNullable<z.ZodString>;
    tags: z.ZodArray<z.ZodString>;
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodString;
    startAt: z.ZodNullable<z.ZodISODateTime>;
    endAt: z.ZodNullable<z.ZodISODateTime>;
    maxRuns: z.ZodNullable<z.ZodInt>;
    jitter: z.ZodNullable<z.ZodString>;
    dst: z.ZodObject<{
        gap: z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>;
        overlap: z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>;
    }, z.core.$strip>;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    exclusions: z.ZodArray<z.ZodString>;
    calendars: z.ZodArray<z.ZodString>;
    onExcluded: z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>;
    businessDays: z.ZodArray<z.ZodInt>;
    misfire: z.ZodObject<{
        policy: z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>;
        grace: z.ZodString;
        limit: z.ZodInt;
    }, z.core.$strip>;
    overlap: z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>;
    maxConcurrentRuns: z.ZodNullable<z.ZodInt>;
    dependsOn: z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strip>>;
    retry: z.ZodObject<{
        maxAttempts: z.ZodInt;
        baseDelay: z.ZodString;
        maxDelay: z.ZodString;
        jitter: z.ZodBoolean;
    }, z.core.$strip>;
    timeout: z.ZodString;
    pauseAfterFailures: z.ZodNullable<z.ZodInt>;
    onSuccess: z.ZodNullable<z.ZodString>;
    onFailure: z.ZodNullable<z.ZodString>;
    slo: z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    target: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"webhook">;
        url: z.ZodString;
        method: z.ZodOptional<z.ZodEnum<{
            DELETE: "DELETE";
            GET: "GET";
            PATCH: "PATCH";
            POST: "POST";
            PUT: "PUT";
        }>>;
        body: z.ZodOptional<z.ZodEnum<{
            envelope: "envelope";
            payload: "payload";
        }>>;
        headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"queue">;
        queue: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"handler">;
        name: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"call">;
        number: z.ZodString;
        assistantId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        phoneNumberId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"heartbeat">;
        grace: z.ZodDefault<z.ZodString>;
        startGrace: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>], "type">;
    payload: z.ZodUnknown;
    status: z.ZodEnum<{
        active: "active";
        cancelled: "cancelled";
        finished: "finished";
        paused: "paused";
    }>;
    version: z.ZodInt;
    nextRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastEnqueuedAt: z.ZodNullable<z.ZodISODateTime>;
    runsTotal: z.ZodInt;
    pause: z.ZodNullable<z.ZodObject<{
        at: z.ZodNullable<z.ZodISODateTime>;
        until: z.ZodNullable<z.ZodISODateTime>;
        by: z.ZodNullable<z.ZodString>;
        note: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
    runId: z.ZodString;
}, z.core.$strip>;
export declare const SkippedSchedule: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodNullable<z.ZodString>;
    tags: z.ZodArray<z.ZodString>;
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodString;
    startAt: z.ZodNullable<z.ZodISODateTime>;
    endAt: z.ZodNullable<z.ZodISODateTime>;
    maxRuns: z.ZodNullable<z.ZodInt>;
    jitter: z.ZodNullable<z.ZodString>;
    dst: z.ZodObject<{
        gap: z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>;
        overlap: z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>;
    }, z.core.$strip>;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    exclusions: z.ZodArray<z.ZodString>;
    calendars: z.ZodArray<z.ZodString>;
    onExcluded: z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>;
    businessDays: z.ZodArray<z.ZodInt>;
    misfire: z.ZodObject<{
        policy: z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>;
        grace: z.ZodString;
        limit: z.ZodInt;
    }, z.core.$strip>;
    overlap: z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>;
    maxConcurrentRuns: z.ZodNullable<z.ZodInt>;
    dependsOn: z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strip>>;
    retry: z.ZodObject<{
        maxAttempts: z.ZodInt;
        baseDelay: z.ZodString;
        maxDelay: z.ZodString;
        jitter: z.ZodBoolean;
    }, z.core.$strip>;
    timeout: z.ZodString;
    pauseAfterFailures: z.ZodNullable<z.ZodInt>;
    onSuccess: z.ZodNullable<z.ZodString>;
    onFailure: z.ZodNullable<z.ZodString>;
    slo: z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    target: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"webhook">;
        url: z.ZodString;
        method: z.ZodOptional<z.ZodEnum<{
            DELETE: "DELETE";
            GET: "GET";
            PATCH: "PATCH";
            POST: "POST";
            PUT: "PUT";
        }>>;
        body: z.ZodOptional<z.ZodEnum<{
            envelope: "envelope";
            payload: "payload";
        }>>;
        headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"queue">;
        queue: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"handler">;
        name: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"call">;
        number: z.ZodString;
        assistantId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        phoneNumberId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"heartbeat">;
        grace: z.ZodDefault<z.ZodString>;
        startGrace: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>], "type">;
    payload: z.ZodUnknown;
    status: z.ZodEnum<{
        active: "active";
        cancelled: "cancelled";
        finished: "finished";
        paused: "paused";
    }>;
    version: z.ZodInt;
    nextRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastEnqueuedAt: z.ZodNullable<z.ZodISODateTime>;
    runsTotal: z.ZodInt;
    pause: z.ZodNullable<z.ZodObject<{
        at: z.ZodNullable<z.ZodISODateTime>;
        until: z.ZodNullable<z.ZodISODateTime>;
        by: z.ZodNullable<z.ZodString>;
        note: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
    skipped: z.ZodISODateTime;
}, z.core.$strip>;
export declare const BackfilledSchedule: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodNullable<z.ZodString>;
    tags: z.ZodArray<z.ZodString>;
    rule: z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>;
    timezone: z.ZodString;
    startAt: z.ZodNullable<z.ZodISODateTime>;
    endAt: z.ZodNullable<z.ZodISODateTime>;
    maxRuns: z.ZodNullable<z.ZodInt>;
    jitter: z.ZodNullable<z.ZodString>;
    dst: z.ZodObject<{
        gap: z.ZodEnum<{
            shift: "shift";
            skip: "skip";
        }>;
        overlap: z.ZodEnum<{
            both: "both";
            first: "first";
            second: "second";
        }>;
    }, z.core.$strip>;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    exclusions: z.ZodArray<z.ZodString>;
    calendars: z.ZodArray<z.ZodString>;
    onExcluded: z.ZodEnum<{
        next: "next";
        previous: "previous";
        skip: "skip";
    }>;
    businessDays: z.ZodArray<z.ZodInt>;
    misfire: z.ZodObject<{
        policy: z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>;
        grace: z.ZodString;
        limit: z.ZodInt;
    }, z.core.$strip>;
    overlap: z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>;
    maxConcurrentRuns: z.ZodNullable<z.ZodInt>;
    dependsOn: z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strip>>;
    retry: z.ZodObject<{
        maxAttempts: z.ZodInt;
        baseDelay: z.ZodString;
        maxDelay: z.ZodString;
        jitter: z.ZodBoolean;
    }, z.core.$strip>;
    timeout: z.ZodString;
    pauseAfterFailures: z.ZodNullable<z.ZodInt>;
    onSuccess: z.ZodNullable<z.ZodString>;
    onFailure: z.ZodNullable<z.ZodString>;
    slo: z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    target: z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"webhook">;
        url: z.ZodString;
        method: z.ZodOptional<z.ZodEnum<{
            DELETE: "DELETE";
            GET: "GET";
            PATCH: "PATCH";
            POST: "POST";
            PUT: "PUT";
        }>>;
        body: z.ZodOptional<z.ZodEnum<{
            envelope: "envelope";
            payload: "payload";
        }>>;
        headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"queue">;
        queue: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"handler">;
        name: z.ZodString;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"call">;
        number: z.ZodString;
        assistantId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        phoneNumberId: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>, z.ZodObject<{
        type: z.ZodLiteral<"heartbeat">;
        grace: z.ZodDefault<z.ZodString>;
        startGrace: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>], "type">;
    payload: z.ZodUnknown;
    status: z.ZodEnum<{
        active: "active";
        cancelled: "cancelled";
        finished: "finished";
        paused: "paused";
    }>;
    version: z.ZodInt;
    nextRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastRunAt: z.ZodNullable<z.ZodISODateTime>;
    lastEnqueuedAt: z.ZodNullable<z.ZodISODateTime>;
    runsTotal: z.ZodInt;
    pause: z.ZodNullable<z.ZodObject<{
        at: z.ZodNullable<z.ZodISODateTime>;
        until: z.ZodNullable<z.ZodISODateTime>;
        by: z.ZodNullable<z.ZodString>;
        note: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
    backfilled: z.ZodInt;
}, z.core.$strip>;
