import { z } from 'zod';
/** With the prefix of its tag, the name of a set fits into 64 characters. */
export declare const SetName: z.ZodString;
/** A schedule in a file: as for `PUT /v1/schedules/:id`, with its id. */
export declare const FileSchedule: z.ZodObject<{
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
    name: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    maxRuns: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    jitter: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    misfire: z.ZodOptional<z.ZodObject<{
        policy: z.ZodOptional<z.ZodEnum<{
            all: "all";
            once: "once";
            skip: "skip";
        }>>;
        grace: z.ZodOptional<z.ZodString>;
        limit: z.ZodOptional<z.ZodInt>;
    }, z.core.$strict>>;
    overlap: z.ZodOptional<z.ZodEnum<{
        allow: "allow";
        cancel: "cancel";
        queue: "queue";
        skip: "skip";
    }>>;
    maxConcurrentRuns: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    dependsOn: z.ZodOptional<z.ZodNullable<z.ZodObject<{
        schedule: z.ZodString;
        within: z.ZodString;
    }, z.core.$strict>>>;
    retry: z.ZodOptional<z.ZodObject<{
        maxAttempts: z.ZodOptional<z.ZodInt>;
        baseDelay: z.ZodOptional<z.ZodString>;
        maxDelay: z.ZodOptional<z.ZodString>;
        jitter: z.ZodOptional<z.ZodBoolean>;
    }, z.core.$strict>>;
    timeout: z.ZodOptional<z.ZodString>;
    pauseAfterFailures: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    onSuccess: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    onFailure: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    secret: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    slo: z.ZodOptional<z.ZodNullable<z.ZodObject<{
        startWithin: z.ZodOptional<z.ZodString>;
        startGrace: z.ZodOptional<z.ZodString>;
        endWithin: z.ZodOptional<z.ZodString>;
        endGrace: z.ZodOptional<z.ZodString>;
        maxDuration: z.ZodOptional<z.ZodString>;
        successRate: z.ZodOptional<z.ZodObject<{
            percent: z.ZodNumber;
            last: z.ZodOptional<z.ZodInt>;
            window: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
    }, z.core.$strict>>>;
    target: z.ZodOptional<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
    }, z.core.$strict>], "type">>;
    payload: z.ZodOptional<z.ZodUnknown>;
    template: z.ZodOptional<z.ZodString>;
    id: z.ZodString;
    rule: z.ZodOptional<z.ZodObject<{
        at: z.ZodOptional<z.ZodString>;
        in: z.ZodOptional<z.ZodString>;
        every: z.ZodOptional<z.ZodString>;
        cron: z.ZodOptional<z.ZodString>;
        rrule: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>>;
    tags: z.ZodOptional<z.ZodArray<z.ZodString>>;
}, z.core.$strict>;
export type FileSchedule = z.infer<typeof FileSchedule>;
/** Schedules as a file, for `carillon plan` and `carillon apply`. */
export declare const ScheduleFile: z.ZodObject<{
    $schema: z.ZodOptional<z.ZodString>;
    set: z.ZodOptional<z.ZodString>;
    schedules: z.ZodArray<z.ZodObject<{
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
        name: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        maxRuns: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        jitter: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        misfire: z.ZodOptional<z.ZodObject<{
            policy: z.ZodOptional<z.ZodEnum<{
                all: "all";
                once: "once";
                skip: "skip";
            }>>;
            grace: z.ZodOptional<z.ZodString>;
            limit: z.ZodOptional<z.ZodInt>;
        }, z.core.$strict>>;
        overlap: z.ZodOptional<z.ZodEnum<{
            allow: "allow";
            cancel: "cancel";
            queue: "queue";
            skip: "skip";
        }>>;
        maxConcurrentRuns: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        dependsOn: z.ZodOptional<z.ZodNullable<z.ZodObject<{
            schedule: z.ZodString;
            within: z.ZodString;
        }, z.core.$strict>>>;
        retry: z.ZodOptional<z.ZodObject<{
            maxAttempts: z.ZodOptional<z.ZodInt>;
            baseDelay: z.ZodOptional<z.ZodString>;
            maxDelay: z.ZodOptional<z.ZodString>;
            jitter: z.ZodOptional<z.ZodBoolean>;
        }, z.core.$strict>>;
        timeout: z.ZodOptional<z.ZodString>;
        pauseAfterFailures: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        onSuccess: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        onFailure: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        secret: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        slo: z.ZodOptional<z.ZodNullable<z.ZodObject<{
            startWithin: z.ZodOptional<z.ZodString>;
            startGrace: z.ZodOptional<z.ZodString>;
            endWithin: z.ZodOptional<z.ZodString>;
            endGrace: z.ZodOptional<z.ZodString>;
            maxDuration: z.ZodOptional<z.ZodString>;
            successRate: z.ZodOptional<z.ZodObject<{
                percent: z.ZodNumber;
                last: z.ZodOptional<z.ZodInt>;
                window: z.ZodOptional<z.ZodString>;
            }, z.core.$strict>>;
        }, z.core.$strict>>>;
        target: z.ZodOptional<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
        }, z.core.$strict>], "type">>;
        payload: z.ZodOptional<z.ZodUnknown>;
        template: z.ZodOptional<z.ZodString>;
        id: z.ZodString;
        rule: z.ZodOptional<z.ZodObject<{
            at: z.ZodOptional<z.ZodString>;
            in: z.ZodOptional<z.ZodString>;
            every: z.ZodOptional<z.ZodString>;
            cron: z.ZodOptional<z.ZodString>;
            rrule: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        tags: z.ZodOptional<z.ZodArray<z.ZodString>>;
    }, z.core.$strict>>;
}, z.core.$strict>;
export type ScheduleFile = z.infer<typeof ScheduleFile>;
