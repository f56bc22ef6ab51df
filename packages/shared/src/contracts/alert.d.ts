import { z } from 'zod';
export declare const CHANNEL_TYPES: readonly ['webhook', 'slack', 'email', 'pagerduty'];
export type ChannelType = (typeof CHANNEL_TYPES)[number];
export declare const BREACHES: readonly ['start', 'end', 'duration', 'success_rate'];
export declare const ChannelKey: z.ZodString;
/** The URL of PagerDuty's events API, version 2. */
export declare const PAGERDUTY_URL = "https://events.pagerduty.com/v2/enqueue";
/** A channel that alerts are sent to. */
export declare const AlertChannelInput: z.ZodDiscriminatedUnion<[z.ZodObject<{
    id: z.ZodString;
    enabled: z.ZodOptional<z.ZodBoolean>;
    type: z.ZodLiteral<"webhook">;
    url: z.ZodString;
    secret: z.ZodOptional<z.ZodNullable<z.ZodString>>;
}, z.core.$strict>, z.ZodObject<{
    id: z.ZodString;
    enabled: z.ZodOptional<z.ZodBoolean>;
    type: z.ZodLiteral<"slack">;
    url: z.ZodString;
}, z.core.$strict>, z.ZodObject<{
    id: z.ZodString;
    enabled: z.ZodOptional<z.ZodBoolean>;
    type: z.ZodLiteral<"email">;
    to: z.ZodArray<z.ZodEmail>;
}, z.core.$strict>, z.ZodObject<{
    id: z.ZodString;
    enabled: z.ZodOptional<z.ZodBoolean>;
    type: z.ZodLiteral<"pagerduty">;
    routingKey: z.ZodString;
    url: z.ZodOptional<z.ZodString>;
}, z.core.$strict>], "type">;
export type AlertChannelInput = z.infer<typeof AlertChannelInput>;
/** An edit: fields that are left out stay as they are. The type can't change. */
export declare const AlertChannelPatch: z.ZodObject<{
    enabled: z.ZodOptional<z.ZodBoolean>;
    url: z.ZodOptional<z.ZodString>;
    secret: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    to: z.ZodOptional<z.ZodArray<z.ZodEmail>>;
    routingKey: z.ZodOptional<z.ZodString>;
}, z.core.$strict>;
export type AlertChannelPatch = z.infer<typeof AlertChannelPatch>;
export declare const AlertMessage: z.ZodObject<{
    at: z.ZodISODateTime;
    status: z.ZodEnum<{
        failed: "failed";
        pending: "pending";
        sent: "sent";
    }>;
    tries: z.ZodInt;
    sentAt: z.ZodNullable<z.ZodISODateTime>;
    nextTryAt: z.ZodNullable<z.ZodISODateTime>;
    error: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
/** A channel as the API shows it, without its secrets. */
export declare const AlertChannel: z.ZodObject<{
    id: z.ZodString;
    type: z.ZodEnum<{
        email: "email";
        pagerduty: "pagerduty";
        slack: "slack";
        webhook: "webhook";
    }>;
    enabled: z.ZodBoolean;
    url: z.ZodNullable<z.ZodString>;
    to: z.ZodNullable<z.ZodArray<z.ZodString>>;
    hasSecret: z.ZodBoolean;
    lastMessage: z.ZodNullable<z.ZodObject<{
        at: z.ZodISODateTime;
        status: z.ZodEnum<{
            failed: "failed";
            pending: "pending";
            sent: "sent";
        }>;
        tries: z.ZodInt;
        sentAt: z.ZodNullable<z.ZodISODateTime>;
        nextTryAt: z.ZodNullable<z.ZodISODateTime>;
        error: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    createdAt: z.ZodISODateTime;
    updatedAt: z.ZodISODateTime;
}, z.core.$strip>;
/** A breach of an objective. */
export declare const Alert: z.ZodObject<{
    id: z.ZodString;
    scheduleId: z.ZodString;
    scheduleName: z.ZodNullable<z.ZodString>;
    kind: z.ZodEnum<{
        duration: "duration";
        end: "end";
        start: "start";
        success_rate: "success_rate";
    }>;
    state: z.ZodEnum<{
        open: "open";
        resolved: "resolved";
    }>;
    occurrenceAt: z.ZodISODateTime;
    sentence: z.ZodString;
    why: z.ZodNullable<z.ZodString>;
    openedAt: z.ZodISODateTime;
    resolvedAt: z.ZodNullable<z.ZodISODateTime>;
    resolution: z.ZodNullable<z.ZodString>;
    silenced: z.ZodBoolean;
}, z.core.$strip>;
export declare const MaintenanceInput: z.ZodObject<{
    schedule: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    startAt: z.ZodOptional<z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>>;
    endAt: z.ZodPipe<z.ZodISODateTime, z.ZodTransform<string, string>>;
    note: z.ZodOptional<z.ZodNullable<z.ZodString>>;
}, z.core.$strict>;
export declare const Maintenance: z.ZodObject<{
    id: z.ZodString;
    schedule: z.ZodNullable<z.ZodString>;
    startAt: z.ZodISODateTime;
    endAt: z.ZodISODateTime;
    note: z.ZodNullable<z.ZodString>;
    createdBy: z.ZodString;
}, z.core.$strip>;
/** A ping of a job that runs elsewhere. */
export declare const Ping: z.ZodObject<{
    at: z.ZodISODateTime;
    kind: z.ZodEnum<{
        fail: "fail";
        start: "start";
        success: "success";
    }>;
    body: z.ZodNullable<z.ZodString>;
    occurrenceAt: z.ZodNullable<z.ZodISODateTime>;
}, z.core.$strip>;
/** How a job that runs elsewhere reports to its schedule. */
export declare const Heartbeat: z.ZodObject<{
    url: z.ZodString;
    startUrl: z.ZodString;
    failUrl: z.ZodString;
    pings: z.ZodArray<z.ZodObject<{
        at: z.ZodISODateTime;
        kind: z.ZodEnum<{
            fail: "fail";
            start: "start";
            success: "success";
        }>;
        body: z.ZodNullable<z.ZodString>;
        occurrenceAt: z.ZodNullable<z.ZodISODateTime>;
    }, z.core.$strip>>;
}, z.core.$strip>;
