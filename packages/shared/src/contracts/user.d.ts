import { z } from 'zod';
export declare const UserKey: z.ZodString;
export declare const LocalTime: z.ZodString;
export declare const UserInput: z.ZodObject<{
    firstName: z.ZodString;
    lastName: z.ZodString;
    dateOfBirth: z.ZodString;
    timezone: z.ZodString;
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
    localTime: z.ZodOptional<z.ZodString>;
    leapDay: z.ZodOptional<z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>>;
}, z.core.$strict>;
export type UserInput = z.infer<typeof UserInput>;
/** A field that is left out stays as it is. */
export declare const UserPatch: z.ZodObject<{
    firstName: z.ZodOptional<z.ZodString>;
    lastName: z.ZodOptional<z.ZodString>;
    dateOfBirth: z.ZodOptional<z.ZodString>;
    timezone: z.ZodOptional<z.ZodString>;
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
    localTime: z.ZodOptional<z.ZodOptional<z.ZodString>>;
    leapDay: z.ZodOptional<z.ZodOptional<z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>>>;
}, z.core.$strict>;
export type UserPatch = z.infer<typeof UserPatch>;
/** A further yearly event of a user. */
export declare const UserEventInput: z.ZodObject<{
    name: z.ZodString;
    date: z.ZodString;
    message: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    localTime: z.ZodOptional<z.ZodString>;
    leapDay: z.ZodOptional<z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>>;
}, z.core.$strict>;
export type UserEventInput = z.infer<typeof UserEventInput>;
export declare const UserEventParams: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodString;
}, z.core.$strip>;
export declare const UserEvent: z.ZodObject<{
    name: z.ZodString;
    date: z.ZodString;
    localTime: z.ZodString;
    leapDay: z.ZodEnum<{
        feb28: "feb28";
        mar1: "mar1";
        skip: "skip";
    }>;
    message: z.ZodNullable<z.ZodString>;
    scheduleId: z.ZodString;
    at: z.ZodNullable<z.ZodISODateTime>;
    local: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
export declare const User: z.ZodObject<{
    id: z.ZodString;
    firstName: z.ZodString;
    lastName: z.ZodString;
    dateOfBirth: z.ZodString;
    timezone: z.ZodString;
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
    nextBirthdayEvent: z.ZodNullable<z.ZodObject<{
        at: z.ZodISODateTime;
        local: z.ZodString;
        scheduleId: z.ZodString;
    }, z.core.$strip>>;
    events: z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        date: z.ZodString;
        localTime: z.ZodString;
        leapDay: z.ZodEnum<{
            feb28: "feb28";
            mar1: "mar1";
            skip: "skip";
        }>;
        message: z.ZodNullable<z.ZodString>;
        scheduleId: z.ZodString;
        at: z.ZodNullable<z.ZodISODateTime>;
        local: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
}, z.core.$strip>;
export type User = z.infer<typeof User>;
export declare const DeletedUser: z.ZodObject<{
    id: z.ZodString;
    cancelled: z.ZodArray<z.ZodString>;
    inFlight: z.ZodArray<z.ZodString>;
}, z.core.$strip>;
