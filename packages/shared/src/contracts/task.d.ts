import { z } from 'zod';
export declare const TaskKey: z.ZodString;
export declare const TaskInput: z.ZodObject<{
    title: z.ZodString;
    dueAt: z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>;
    target: z.ZodOptional<z.ZodNullable<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
}, z.core.$strict>;
export type TaskInput = z.infer<typeof TaskInput>;
/** A field that is left out stays as it is. */
export declare const TaskPatch: z.ZodObject<{
    title: z.ZodOptional<z.ZodString>;
    dueAt: z.ZodOptional<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>>;
    target: z.ZodOptional<z.ZodOptional<z.ZodNullable<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
    }, z.core.$strict>], "type">>>>;
}, z.core.$strict>;
export declare const Task: z.ZodObject<{
    id: z.ZodString;
    title: z.ZodString;
    dueAt: z.ZodISODateTime;
    target: z.ZodNullable<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
    reminderSentAt: z.ZodNullable<z.ZodISODateTime>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
}, z.core.$strip>;
/** The result of a scan. */
export declare const TaskScan: z.ZodObject<{
    workerRunId: z.ZodString;
    due: z.ZodInt;
    sent: z.ZodInt;
    skipped: z.ZodInt;
    failed: z.ZodInt;
}, z.core.$strip>;
