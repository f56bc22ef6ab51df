import type { UserEventView, UserView } from '@carillon/db';
import { BIRTHDAY, localTime, type User } from '@carillon/shared';

const whenOf = ({ nextRunAt, timezone }: UserEventView) =>
  nextRunAt === null
    ? { at: null, local: null }
    : { at: new Date(nextRunAt).toISOString(), local: localTime(nextRunAt, timezone) };

/** A user as the API shows it. */
export function presentUser({ key, events, createdAt, updatedAt, ...user }: UserView): User {
  const birthday = events.find(({ name }) => name === BIRTHDAY);
  const next = birthday && whenOf(birthday);
  return {
    id: key,
    firstName: user.firstName,
    lastName: user.lastName,
    dateOfBirth: user.dateOfBirth,
    timezone: user.timezone,
    target: user.target,
    nextBirthdayEvent: next?.at ? { ...next, scheduleId: (birthday as UserEventView).scheduleKey } : null,
    events: events.map((event) => ({
      name: event.name,
      date: event.date,
      localTime: event.localTime,
      leapDay: event.leapDay,
      message: event.message,
      scheduleId: event.scheduleKey,
      ...whenOf(event),
    })),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
