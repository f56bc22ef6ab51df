import { z } from 'zod';
export declare const WEBHOOK_METHODS: readonly ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'];
export declare const QueueName: z.ZodString;
export declare const Target: z.ZodDiscriminatedUnion<[z.ZodObject<{
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
