import type { UserEventView, UserView } from '@carillon/db';
import { BIRTHDAY, localTime, redactTarget, type User } from '@carillon/shared';
import { iso } from './iso.js';

const whenOf = ({ nextRunAt, timezone }: UserEventView) =>
  nextRunAt === null
    ? { at: null, local: null }
    : { at: iso(nextRunAt), local: localTime(nextRunAt, timezone) };

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
    target: redactTarget(user.target),
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
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
}
