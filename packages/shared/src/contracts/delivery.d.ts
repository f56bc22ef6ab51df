import { z } from 'zod';
/** The body of a webhook, unless its target chooses `body: "payload"` or the method GET. */
export declare const WebhookDelivery: z.ZodObject<{
    type: z.ZodLiteral<"schedule.due">;
    scheduleId: z.ZodString;
    runId: z.ZodString;
    occurrenceAt: z.ZodISODateTime;
    firedAt: z.ZodISODateTime;
    attempt: z.ZodInt;
    payload: z.ZodUnknown;
}, z.core.$strip>;
/** The body of a receipt. */
export declare const WebhookReceipt: z.ZodObject<{
    type: z.ZodEnum<{
        "run.failed": "run.failed";
        "run.succeeded": "run.succeeded";
    }>;
    scheduleId: z.ZodString;
    runId: z.ZodString;
    occurrenceAt: z.ZodISODateTime;
    finishedAt: z.ZodISODateTime;
    attempt: z.ZodInt;
    httpStatus: z.ZodNullable<z.ZodInt>;
    externalId: z.ZodNullable<z.ZodString>;
    error: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
/** The body of a message to an alert channel of the type webhook. */
export declare const WebhookAlert: z.ZodObject<{
    type: z.ZodEnum<{
        alert: "alert";
        "alert.test": "alert.test";
    }>;
    project: z.ZodString;
    summary: z.ZodString;
    opened: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        scheduleId: z.ZodString;
        scheduleName: z.ZodNullable<z.ZodString>;
        kind: z.ZodEnum<{
            duration: "duration";
            end: "end";
            start: "start";
            success_rate: "success_rate";
        }>;
        occurrenceAt: z.ZodISODateTime;
        openedAt: z.ZodISODateTime;
        resolvedAt: z.ZodNullable<z.ZodISODateTime>;
        sentence: z.ZodString;
        why: z.ZodNullable<z.ZodString>;
        resolution: z.ZodNullable<z.ZodString>;
        link: z.ZodString;
    }, z.core.$strip>>;
    resolved: z.ZodArray<z.ZodObject<{
        id: z.ZodString;
        scheduleId: z.ZodString;
        scheduleName: z.ZodNullable<z.ZodString>;
        kind: z.ZodEnum<{
            duration: "duration";
            end: "end";
            start: "start";
            success_rate: "success_rate";
        }>;
        occurrenceAt: z.ZodISODateTime;
        openedAt: z.ZodISODateTime;
        resolvedAt: z.ZodNullable<z.ZodISODateTime>;
        sentence: z.ZodString;
        why: z.ZodNullable<z.ZodString>;
        resolution: z.ZodNullable<z.ZodString>;
        link: z.ZodString;
    }, z.core.$strip>>;
}, z.core.$strip>;
