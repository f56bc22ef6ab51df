import { z } from 'zod';
/** The reasons for which a schedule needs a person. */
export declare const ATTENTION_KINDS: readonly ['failing', 'paused', 'overdue', 'blocked', 'breaching'];
/** Everything in a project that a person should look at. */
export declare const Attention: z.ZodObject<{
    failing: z.ZodObject<{
        count: z.ZodInt;
        items: z.ZodArray<z.ZodObject<{
            id: z.ZodString;
            name: z.ZodNullable<z.ZodString>;
            at: z.ZodISODateTime;
            note: z.ZodNullable<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>;
    paused: z.ZodObject<{
        count: z.ZodInt;
        items: z.ZodArray<z.ZodObject<{
            id: z.ZodString;
            name: z.ZodNullable<z.ZodString>;
            at: z.ZodISODateTime;
            note: z.ZodNullable<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>;
    overdue: z.ZodObject<{
        count: z.ZodInt;
        items: z.ZodArray<z.ZodObject<{
            id: z.ZodString;
            name: z.ZodNullable<z.ZodString>;
            at: z.ZodISODateTime;
            note: z.ZodNullable<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>;
    blocked: z.ZodObject<{
        count: z.ZodInt;
        items: z.ZodArray<z.ZodObject<{
            id: z.ZodString;
            name: z.ZodNullable<z.ZodString>;
            at: z.ZodISODateTime;
            note: z.ZodNullable<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>;
    breaching: z.ZodObject<{
        count: z.ZodInt;
        items: z.ZodArray<z.ZodObject<{
            id: z.ZodString;
            name: z.ZodNullable<z.ZodString>;
            at: z.ZodISODateTime;
            note: z.ZodNullable<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>;
    herd: z.ZodNullable<z.ZodObject<{
        at: z.ZodISODateTime;
        fires: z.ZodInt;
    }, z.core.$strip>>;
}, z.core.$strip>;
