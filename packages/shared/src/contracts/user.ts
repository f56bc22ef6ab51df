import { z } from 'zod';
import { BIRTHDAY } from '../yearly-event.js';
import { Instant, refuseWith } from './fields.js';
import { NullableInstant } from './list.js';
import { Target } from './target.js';

export const UserKey = z
  .string()
  .max(64)
  .meta({ examples: ['usr_4f1c0b7a'] });

function dateProblem(text: string): string | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  const at = match ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // JavaScript's Date turns 30 February into 1 March.
  const isReal = Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
  if (!isReal) return `is "${text.slice(0, 20)}"; expected a date such as 1990-02-28`;
  return Number(match?.[1]) < 1900 ? 'is before 1900; expected a later date' : null;
}

const LocalDate = z
  .string()
  .superRefine(refuseWith(dateProblem))
  .meta({ format: 'date', examples: ['1990-02-28'] });

export const LocalTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time of day such as 09:00')
  .meta({ examples: ['09:00'] });

const Name = z.string().trim().min(1).max(100);
const LeapDay = z.enum(['feb28', 'mar1', 'skip']);

export const UserInput = z
  .strictObject({
    firstName: Name,
    lastName: Name,
    dateOfBirth: LocalDate,
    timezone: z
      .string()
      .max(64)
      .meta({ examples: ['Asia/Tokyo'] }),
    target: Target.nullable().optional(),
    localTime: LocalTime.optional().meta({
      description: 'The local time of the greeting, in the time zone of the user.',
    }),
    leapDay: LeapDay.optional().meta({
      description: 'The day of the greeting in other years for users born on 29 February.',
    }),
  })
  .meta({
    id: 'UserRequest',
    examples: [
      { firstName: 'Ada', lastName: 'Lovelace', dateOfBirth: '1990-12-10', timezone: 'Europe/London' },
    ],
  });
export type UserInput = z.infer<typeof UserInput>;

/** Omitted fields keep their value. */
export const UserPatch = UserInput.partial().meta({
  id: 'UserPatch',
  examples: [{ timezone: 'Asia/Tokyo' }],
});
export type UserPatch = z.infer<typeof UserPatch>;

const EventName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,62}$/,
    'expected 1 to 63 lower-case letters, digits or "-", beginning with a letter',
  )
  .meta({ examples: ['anniversary'] });

/** A yearly event of a user besides the birthday. */
export const UserEventInput = z
  .strictObject({
    name: EventName.refine((name) => name !== BIRTHDAY, 'is reserved; set the birthday with dateOfBirth'),
    date: LocalDate,
    message: z.string().min(1).max(10_000).nullable().optional(),
    localTime: LocalTime.optional(),
    leapDay: LeapDay.optional(),
  })
  .meta({ id: 'UserEventRequest', examples: [{ name: 'anniversary', date: '2015-06-20' }] });
export type UserEventInput = z.infer<typeof UserEventInput>;

export const UserEventParams = z.object({ id: UserKey, name: EventName });

const NextEvent = z.object({
  at: Instant,
  local: z.string().meta({ examples: ['2027-02-28T09:00:00+13:00'] }),
  scheduleId: z.string(),
});

export const UserEvent = z
  .object({
    name: z.string(),
    date: LocalDate,
    localTime: LocalTime,
    leapDay: LeapDay,
    message: z.string().nullable(),
    scheduleId: z.string(),
    at: NullableInstant.meta({ description: 'The next time of the event.' }),
    local: z.string().nullable(),
  })
  .meta({ id: 'UserEvent' });

export const User = z
  .object({
    id: UserKey,
    firstName: z.string(),
    lastName: z.string(),
    dateOfBirth: LocalDate,
    timezone: z.string(),
    target: Target.nullable(),
    nextBirthdayEvent: NextEvent.nullable().meta({
      description:
        'The next birthday. After an edit of the date or the time zone it is updated asynchronously.',
    }),
    events: z.array(UserEvent),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

export const DeletedUser = z
  .object({ id: UserKey, cancelled: z.array(z.string()), inFlight: z.array(z.string()) })
  .meta({ id: 'DeletedUser' });
