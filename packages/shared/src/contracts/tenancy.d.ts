import { z } from 'zod';
export declare const SCOPES: readonly ['read', 'write', 'admin'];
export declare const ProjectKey: z.ZodString;
export declare const KeyInput: z.ZodObject<{
    name: z.ZodString;
    scopes: z.ZodArray<z.ZodEnum<{
        admin: "admin";
        read: "read";
        write: "write";
    }>>;
    expiresAt: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>, z.ZodTransform<number, string>>>>;
    project: z.ZodOptional<z.ZodString>;
}, z.core.$strict>;
export declare const Key: z.ZodObject<{
    id: z.ZodInt;
    name: z.ZodString;
    project: z.ZodString;
    prefix: z.ZodString;
    scopes: z.ZodArray<z.ZodEnum<{
        admin: "admin";
        read: "read";
        write: "write";
    }>>;
    createdAt: z.ZodISODateTime;
    expiresAt: z.ZodNullable<z.ZodISODateTime>;
    lastUsedAt: z.ZodNullable<z.ZodISODateTime>;
    revokedAt: z.ZodNullable<z.ZodISODateTime>;
}, z.core.$strip>;
export declare const NewKey: z.ZodObject<{
    id: z.ZodInt;
    name: z.ZodString;
    project: z.ZodString;
    prefix: z.ZodString;
    scopes: z.ZodArray<z.ZodEnum<{
        admin: "admin";
        read: "read";
        write: "write";
    }>>;
    createdAt: z.ZodISODateTime;
    expiresAt: z.ZodNullable<z.ZodISODateTime>;
    lastUsedAt: z.ZodNullable<z.ZodISODateTime>;
    revokedAt: z.ZodNullable<z.ZodISODateTime>;
    key: z.ZodString;
}, z.core.$strip>;
/** The limits of one project. */
export declare const ProjectLimits: z.ZodObject<{
    schedules: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    requestsPerMinute: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    deliveriesPerSecond: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    concurrentDeliveries: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    weight: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    queues: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
    handlers: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
    calls: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}, z.core.$strict>;
export type ProjectLimits = z.infer<typeof ProjectLimits>;
export declare const ProjectInput: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodOptional<z.ZodString>;
    defaultTarget: z.ZodOptional<z.ZodNullable<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
    limits: z.ZodOptional<z.ZodObject<{
        schedules: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        requestsPerMinute: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        deliveriesPerSecond: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
        concurrentDeliveries: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        weight: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        queues: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
        handlers: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
        calls: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
    }, z.core.$strict>>;
}, z.core.$strict>;
export declare const ProjectPatch: z.ZodObject<{
    name: z.ZodOptional<z.ZodString>;
    defaultTarget: z.ZodOptional<z.ZodNullable<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
    limits: z.ZodOptional<z.ZodObject<{
        schedules: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        requestsPerMinute: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        deliveriesPerSecond: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
        concurrentDeliveries: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        weight: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        queues: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
        handlers: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
        calls: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
    }, z.core.$strict>>;
}, z.core.$strict>;
export declare const Project: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodString;
    defaultTarget: z.ZodNullable<z.ZodDiscriminatedUnion<[z.ZodObject<{
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
    limits: z.ZodObject<{
        schedules: z.ZodNullable<z.ZodInt>;
        requestsPerMinute: z.ZodNullable<z.ZodInt>;
        deliveriesPerSecond: z.ZodNullable<z.ZodNumber>;
        concurrentDeliveries: z.ZodNullable<z.ZodInt>;
        weight: z.ZodInt;
        queues: z.ZodNullable<z.ZodArray<z.ZodString>>;
        handlers: z.ZodArray<z.ZodString>;
        calls: z.ZodBoolean;
    }, z.core.$strip>;
    createdAt: z.ZodISODateTime;
}, z.core.$strip>;
export declare const ProjectSecret: z.ZodObject<{
    secret: z.ZodString;
}, z.core.$strip>;
export declare const AuditEntry: z.ZodObject<{
    id: z.ZodInt;
    at: z.ZodISODateTime;
    actor: z.ZodString;
    action: z.ZodString;
    subject: z.ZodNullable<z.ZodString>;
    detail: z.ZodUnknown;
}, z.core.$strip>;
export declare const Me: z.ZodObject<{
    project: z.ZodString;
    keyId: z.ZodInt;
    keyName: z.ZodString;
    scopes: z.ZodArray<z.ZodEnum<{
        admin: "admin";
        read: "read";
        write: "write";
    }>>;
    isOperator: z.ZodBoolean;
    sessionExpiresAt: z.ZodNullable<z.ZodISODateTime>;
}, z.core.$strip>;
export declare const SessionInput: z.ZodObject<{
    key: z.ZodString;
}, z.core.$strict>;
export declare const EndedSessions: z.ZodObject<{
    ended: z.ZodInt;
}, z.core.$strip>;
