import { z } from 'zod';
/** Service level objectives of a schedule. */
export declare const SloInput: z.ZodObject<{
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
}, z.core.$strict>;
export type SloInput = z.infer<typeof SloInput>;
/** The objectives of a schedule as the API shows them. An objective that the schedule does not have is left out. */
export declare const SloAnswer: z.ZodObject<{
    startWithin: z.ZodOptional<z.ZodString>;
    startGrace: z.ZodOptional<z.ZodString>;
    endWithin: z.ZodOptional<z.ZodString>;
    endGrace: z.ZodOptional<z.ZodString>;
    maxDuration: z.ZodOptional<z.ZodString>;
    successRate: z.ZodOptional<z.ZodObject<{
        percent: z.ZodNumber;
        last: z.ZodOptional<z.ZodInt>;
        window: z.ZodOptional<z.ZodString>;
    }, z.core.$strip>>;
}, z.core.$strip>;
