import { type LeapDayPolicy, readTiming, type Target } from '@carillon/shared';
import { and, asc, desc, eq, lt, type SQL } from 'drizzle-orm';
import type { Database } from '../database.js';
import { agenda, schedules } from '../schema/schedules.js';
import { userEvents, users } from '../schema/systems.js';
import { orm } from '../tenancy/orm.js';

/** A yearly event of a user, and when its schedule fires next. */
export interface UserEventView {
  name: string;
  date: string;
  localTime: string;
  leapDay: LeapDayPolicy;
  message: string | null;
  scheduleKey: string;
  /** Null if there is no next occurrence. */
  nextRunAt: number | null;
  /** The time zone of the schedule. It follows the time zone of the user with a short delay. */
  timezone: string;
}

export interface UserView {
  id: number;
  key: string;
  firstName: string;
  lastName: string;
  dateOfBirth: string;
  timezone: string;
  target: Target | null;
  createdAt: number;
  updatedAt: number;
  events: UserEventView[];
}

export async function readUser(db: Database, projectId: number, key: string): Promise<UserView | null> {
  const isUser = and(eq(users.projectId, projectId), eq(users.key, key));
  const [user] = await selectUsers(db, isUser, 1);
  return user ?? null;
}

/** Lists users, newest first. */
export function listUsers(
  db: Database,
  { projectId, limit, beforeId }: { projectId: number; limit: number; beforeId: number | null },
): Promise<UserView[]> {
  const isBefore = beforeId === null ? undefined : lt(users.id, beforeId);
  return selectUsers(db, and(eq(users.projectId, projectId), isBefore), limit);
}

/** One statement reads users and events, so that both come from the same snapshot. */
async function selectUsers(db: Database, condition: SQL | undefined, limit: number): Promise<UserView[]> {
  const page = orm(db).select().from(users).where(condition).orderBy(desc(users.id)).limit(limit).as('page');
  const rows = await orm(db)
    .select({
      user: {
        id: page.id,
        key: page.key,
        firstName: page.firstName,
        lastName: page.lastName,
        dateOfBirth: page.dateOfBirth,
        timezone: page.timezone,
        target: page.target,
        createdAt: page.createdAt,
        updatedAt: page.updatedAt,
      },
      event: userEvents,
      timing: schedules.timing,
      nextRunAt: agenda.dueAt,
    })
    .from(page)
    .leftJoin(userEvents, eq(userEvents.userId, page.id))
    .leftJoin(
      schedules,
      and(eq(schedules.projectId, userEvents.projectId), eq(schedules.key, userEvents.scheduleKey)),
    )
    .leftJoin(agenda, eq(agenda.scheduleId, schedules.id))
    .orderBy(desc(page.id), asc(userEvents.createdAt), asc(userEvents.name));
  const views = new Map<number, UserView>();
  for (const { user, event, timing, nextRunAt } of rows) {
    const view = views.get(user.id) ?? { ...user, target: user.target as Target | null, events: [] };
    views.set(user.id, view);
    if (event && timing !== null) view.events.push(toEventView(event, { timing, nextRunAt }));
  }
  return [...views.values()];
}

function toEventView(
  { name, date, localTime, leapDay, message, scheduleKey }: typeof userEvents.$inferSelect,
  { timing, nextRunAt }: { timing: string; nextRunAt: number | null },
): UserEventView {
  const { timezone } = readTiming(timing);
  return {
    name,
    date,
    localTime,
    leapDay: leapDay as LeapDayPolicy,
    message,
    scheduleKey,
    nextRunAt,
    timezone,
  };
}
