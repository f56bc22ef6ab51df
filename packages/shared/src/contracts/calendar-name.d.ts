import { z } from 'zod';
export declare const CalendarName: z.ZodString;
