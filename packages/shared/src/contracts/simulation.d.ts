import { z } from 'zod';
/** Maximum number of schedules that a request for a simulation gives. */
export declare const MAX_SIMULATED_GIVEN = 1000;
export declare const SimulationInput: z.ZodObject<{
    schedules: z.ZodOptional<z.ZodArray<z.ZodObject<{
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
        tags: z.ZodOptional<z.ZodArray<z.ZodString>>;
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
        id: z.ZodOptional<z.ZodString>;
        rule: z.ZodOptional<z.ZodObject<{
            at: z.ZodOptional<z.ZodString>;
            in: z.ZodOptional<z.ZodString>;
            every: z.ZodOptional<z.ZodString>;
            cron: z.ZodOptional<z.ZodString>;
            rrule: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        template: z.ZodOptional<z.ZodString>;
    }, z.core.$strict>>>;
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
    edits: z.ZodDefault<z.ZodArray<z.ZodObject<{
        schedule: z.ZodOptional<z.ZodString>;
        patch: z.ZodObject<{
            rule: z.ZodOptional<z.ZodObject<{
                at: z.ZodOptional<z.ZodString>;
                in: z.ZodOptional<z.ZodString>;
                every: z.ZodOptional<z.ZodString>;
                cron: z.ZodOptional<z.ZodString>;
                rrule: z.ZodOptional<z.ZodString>;
            }, z.core.$strict>>;
            timezone: z.ZodOptional<z.ZodOptional<z.ZodString>>;
            startAt: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodString>>>;
            endAt: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodString>>>;
            dst: z.ZodOptional<z.ZodOptional<z.ZodObject<{
                gap: z.ZodOptional<z.ZodEnum<{
                    shift: "shift";
                    skip: "skip";
                }>>;
                overlap: z.ZodOptional<z.ZodEnum<{
                    both: "both";
                    first: "first";
                    second: "second";
                }>>;
            }, z.core.$strict>>>;
            leapDay: z.ZodOptional<z.ZodOptional<z.ZodEnum<{
                feb28: "feb28";
                mar1: "mar1";
                skip: "skip";
            }>>>;
            exclusions: z.ZodOptional<z.ZodOptional<z.ZodArray<z.ZodString>>>;
            calendars: z.ZodOptional<z.ZodOptional<z.ZodArray<z.ZodString>>>;
            onExcluded: z.ZodOptional<z.ZodOptional<z.ZodEnum<{
                next: "next";
                previous: "previous";
                skip: "skip";
            }>>>;
            businessDays: z.ZodOptional<z.ZodOptional<z.ZodArray<z.ZodInt>>>;
            name: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodString>>>;
            tags: z.ZodOptional<z.ZodOptional<z.ZodArray<z.ZodString>>>;
            maxRuns: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodInt>>>;
            jitter: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodString>>>;
            misfire: z.ZodOptional<z.ZodOptional<z.ZodObject<{
                policy: z.ZodOptional<z.ZodEnum<{
                    all: "all";
                    once: "once";
                    skip: "skip";
                }>>;
                grace: z.ZodOptional<z.ZodString>;
                limit: z.ZodOptional<z.ZodInt>;
            }, z.core.$strict>>>;
            overlap: z.ZodOptional<z.ZodOptional<z.ZodEnum<{
                allow: "allow";
                cancel: "cancel";
                queue: "queue";
                skip: "skip";
            }>>>;
            maxConcurrentRuns: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodInt>>>;
            dependsOn: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodObject<{
                schedule: z.ZodString;
                within: z.ZodString;
            }, z.core.$strict>>>>;
            retry: z.ZodOptional<z.ZodOptional<z.ZodObject<{
                maxAttempts: z.ZodOptional<z.ZodInt>;
                baseDelay: z.ZodOptional<z.ZodString>;
                maxDelay: z.ZodOptional<z.ZodString>;
                jitter: z.ZodOptional<z.ZodBoolean>;
            }, z.core.$strict>>>;
            timeout: z.ZodOptional<z.ZodOptional<z.ZodString>>;
            pauseAfterFailures: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodInt>>>;
            onSuccess: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodString>>>;
            onFailure: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodString>>>;
            secret: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodString>>>;
            slo: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodObject<{
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
            }, z.core.$strict>>>>;
            target: z.ZodOptional<z.ZodOptional<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
            }, z.core.$strict>], "type">>>;
            payload: z.ZodOptional<z.ZodOptional<z.ZodUnknown>>;
        }, z.core.$strict>;
    }, z.core.$strict>>>;
    outages: z.ZodDefault<z.ZodArray<z.ZodObject<{
        from: z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>;
        to: z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>;
        receiver: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    }, z.core.$strict>>>;
    from: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>;
    to: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>;
    runTime: z.ZodDefault<z.ZodString>;
    limit: z.ZodDefault<z.ZodInt>;
}, z.core.$strict>;
export declare const SimulationAnswer: z.ZodObject<{
    from: z.ZodISODateTime;
    to: z.ZodISODateTime;
    total: z.ZodObject<{
        schedules: z.ZodInt;
        occurrences: z.ZodInt;
        runs: z.ZodInt;
        caughtUp: z.ZodInt;
        queued: z.ZodInt;
        deferred: z.ZodInt;
        retried: z.ZodInt;
        failed: z.ZodInt;
        cancelled: z.ZodInt;
        skipped: z.ZodRecord<z.ZodString, z.ZodInt>;
    }, z.core.$strip>;
    byMisfire: z.ZodObject<{
        once: z.ZodObject<{
            schedules: z.ZodInt;
            occurrences: z.ZodInt;
            runs: z.ZodInt;
            caughtUp: z.ZodInt;
            queued: z.ZodInt;
            deferred: z.ZodInt;
            retried: z.ZodInt;
            failed: z.ZodInt;
            cancelled: z.ZodInt;
            skipped: z.ZodRecord<z.ZodString, z.ZodInt>;
        }, z.core.$strip>;
        all: z.ZodObject<{
            schedules: z.ZodInt;
            occurrences: z.ZodInt;
            runs: z.ZodInt;
            caughtUp: z.ZodInt;
            queued: z.ZodInt;
            deferred: z.ZodInt;
            retried: z.ZodInt;
            failed: z.ZodInt;
            cancelled: z.ZodInt;
            skipped: z.ZodRecord<z.ZodString, z.ZodInt>;
        }, z.core.$strip>;
        skip: z.ZodObject<{
            schedules: z.ZodInt;
            occurrences: z.ZodInt;
            runs: z.ZodInt;
            caughtUp: z.ZodInt;
            queued: z.ZodInt;
            deferred: z.ZodInt;
            retried: z.ZodInt;
            failed: z.ZodInt;
            cancelled: z.ZodInt;
            skipped: z.ZodRecord<z.ZodString, z.ZodInt>;
        }, z.core.$strip>;
    }, z.core.$strip>;
    byOverlap: z.ZodObject<{
        allow: z.ZodObject<{
            schedules: z.ZodInt;
            occurrences: z.ZodInt;
            runs: z.ZodInt;
            caughtUp: z.ZodInt;
            queued: z.ZodInt;
            deferred: z.ZodInt;
            retried: z.ZodInt;
            failed: z.ZodInt;
            cancelled: z.ZodInt;
            skipped: z.ZodRecord<z.ZodString, z.ZodInt>;
        }, z.core.$strip>;
        skip: z.ZodObject<{
            schedules: z.ZodInt;
            occurrences: z.ZodInt;
            runs: z.ZodInt;
            caughtUp: z.ZodInt;
            queued: z.ZodInt;
            deferred: z.ZodInt;
            retried: z.ZodInt;
            failed: z.ZodInt;
            cancelled: z.ZodInt;
            skipped: z.ZodRecord<z.ZodString, z.ZodInt>;
        }, z.core.$strip>;
        queue: z.ZodObject<{
            schedules: z.ZodInt;
            occurrences: z.ZodInt;
            runs: z.ZodInt;
            caughtUp: z.ZodInt;
            queued: z.ZodInt;
            deferred: z.ZodInt;
            retried: z.ZodInt;
            failed: z.ZodInt;
            cancelled: z.ZodInt;
            skipped: z.ZodRecord<z.ZodString, z.ZodInt>;
        }, z.core.$strip>;
        cancel: z.ZodObject<{
            schedules: z.ZodInt;
            occurrences: z.ZodInt;
            runs: z.ZodInt;
            caughtUp: z.ZodInt;
            queued: z.ZodInt;
            deferred: z.ZodInt;
            retried: z.ZodInt;
            failed: z.ZodInt;
            cancelled: z.ZodInt;
            skipped: z.ZodRecord<z.ZodString, z.ZodInt>;
        }, z.core.$strip>;
    }, z.core.$strip>;
    paused: z.ZodInt;
    circuitsOpened: z.ZodInt;
    peak: z.ZodNullable<z.ZodObject<{
        at: z.ZodISODateTime;
        perSecond: z.ZodInt;
        schedules: z.ZodArray<z.ZodObject<{
            id: z.ZodString;
            runs: z.ZodInt;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    advice: z.ZodArray<z.ZodObject<{
        kind: z.ZodEnum<{
            catch_up: "catch_up";
            jitter: "jitter";
        }>;
        at: z.ZodISODateTime;
        perSecond: z.ZodInt;
        schedules: z.ZodArray<z.ZodString>;
        scheduleCount: z.ZodInt;
        jitter: z.ZodNullable<z.ZodString>;
        perSecondAfter: z.ZodNullable<z.ZodInt>;
        text: z.ZodString;
    }, z.core.$strip>>;
    gaps: z.ZodArray<z.ZodObject<{
        schedule: z.ZodString;
        from: z.ZodISODateTime;
        to: z.ZodISODateTime;
        count: z.ZodInt;
        reasonCode: z.ZodString;
        reason: z.ZodString;
    }, z.core.$strip>>;
    runs: z.ZodArray<z.ZodObject<{
        schedule: z.ZodString;
        at: z.ZodISODateTime;
        dueAt: z.ZodISODateTime;
        startedAt: z.ZodNullable<z.ZodISODateTime>;
        endedAt: z.ZodNullable<z.ZodISODateTime>;
        status: z.ZodEnum<{
            cancelled: "cancelled";
            failed: "failed";
            open: "open";
            skipped: "skipped";
            succeeded: "succeeded";
        }>;
        reasonCode: z.ZodNullable<z.ZodString>;
        caughtUp: z.ZodBoolean;
        queued: z.ZodBoolean;
        attempts: z.ZodInt;
        deferrals: z.ZodInt;
    }, z.core.$strip>>;
    steps: z.ZodInt;
    assumptions: z.ZodArray<z.ZodString>;
}, z.core.$strip>;
