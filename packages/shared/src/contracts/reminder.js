import { z } from 'zod';
import { REMINDER_STATUSES } from '../reminder.js';
import { Instant, InstantText } from './fields.js';
import { NullableInstant } from './list.js';
import { Target } from './target.js';
export const ReminderKey = z
    .string()
    .max(64)
    .meta({ examples: ['rem_4f1c0b7a'] });
export const ReminderInput = z
    .strictObject({
    message: z.string().min(1).max(10_000),
    recipient: z.string().min(1).max(256),
    at: InstantText.meta({ description: 'An instant, or a local time in `timezone`.' }),
    timezone: z.string().max(64).optional(),
    target: Target.optional(),
})
    .meta({
    id: 'ReminderRequest',
    examples: [
        {
            message: 'Take your medicine',
            recipient: 'Ada',
            at: '2026-11-17T08:00:00',
            timezone: 'Europe/London',
            target: { type: 'call', number: '+441632960000' },
        },
    ],
});
export const Reminder = z
    .object({
    id: ReminderKey,
    message: z.string(),
    recipient: z.string(),
    at: NullableInstant,
    local: z.string().nullable(),
    timezone: z.string(),
    target: Target,
    status: z.enum(REMINDER_STATUSES),
    attemptCount: z.int(),
    maxAttempts: z.int(),
    nextRetryAt: NullableInstant,
    lastError: z.string().nullable().meta({ description: 'The error of the latest failed attempt.' }),
    idempotencyKey: z
        .string()
        .nullable()
        .meta({ description: 'The idempotency key of the current attempt.' }),
    externalId: z.string().nullable(),
    runId: z.string().nullable(),
    createdAt: Instant,
})
    .meta({ id: 'Reminder' });
//# sourceMappingURL=reminder.js.map