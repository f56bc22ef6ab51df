import { z } from 'zod';
export declare const ReminderKey: z.ZodString;
export declare const ReminderInput: z.ZodObject<{
    message: z.ZodString;
    recipient: z.ZodString;
    at: z.ZodString;
    timezone: z.ZodOptional<z.ZodString>;
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
}, z.core.$strict>;
export type ReminderInput = z.infer<typeof ReminderInput>;
export declare const Reminder: z.ZodObject<{
    id: z.ZodString;
    message: z.ZodString;
    recipient: z.ZodString;
    at: z.ZodNullable<z.ZodISODateTime>;
    local: z.ZodNullable<z.ZodString>;
    timezone: z.ZodString;
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
    status: z.ZodEnum<{
        cancelled: "cancelled";
        completed: "completed";
        failed: "failed";
        pending_retry: "pending_retry";
        processing: "processing";
        scheduled: "scheduled";
    }>;
    attemptCount: z.ZodInt;
    maxAttempts: z.ZodInt;
    nextRetryAt: z.ZodNullable<z.ZodISODateTime>;
    lastError: z.ZodNullable<z.ZodString>;
    idempotencyKey: z.ZodNullable<z.ZodString>;
    externalId: z.ZodNullable<z.ZodString>;
    runId: z.ZodNullable<z.ZodString>;
    createdAt: z.ZodISODateTime;
}, z.core.$strip>;
