import { type LeapDayPolicy, readTiming, type Target } from '@carillon/shared';
import type { Database } from '../database.js';
import { Where } from '../reading/where.js';
import { toMs } from '../sql-text.js';

/** A yearly event of a user, and when its schedule brings it about next. */
export interface UserEventView {
  name: string;
  date: string;
  localTime: string;
  leapDay: LeapDayPolicy;
  message: string | null;
  scheduleKey: string;
  /** Null where it comes no more. */
  nextRunAt: number | null;
  /** The zone that its schedule goes by: after a move, for a moment, still the one before. */
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
  createdAt: Date;
  updatedAt: Date;
  events: UserEventView[];
}

interface Row extends Omit<UserView, 'events'> {
  events: (Omit<UserEventView, 'timezone'> & { timing: string })[];
}

const SELECT_USERS = `
  select u.id, u.key, u.first_name as "firstName", u.last_name as "lastName", u.date_of_birth::text as "dateOfBirth",
         u.timezone, u.target, u.created_at as "createdAt", u.updated_at as "updatedAt", coalesce(e.events, '[]') as events
  from users u
  left join lateral (
    select json_agg(json_build_object(
             'name', e.name, 'date', e.date::text, 'localTime', e.local_time, 'leapDay', e.leap_day, 'message', e.message,
             'scheduleKey', e.schedule_key, 'nextRunAt', ${toMs('s.next_run_at')}, 'timing', s.timing
           ) order by e.created_at, e.name) as events
    from user_events e
    join every_schedule s on s.project_id = e.project_id and s.key = e.schedule_key
    where e.user_id = u.id
  ) as e on true`;

export async function readUser(db: Database, projectId: number, key: string): Promise<UserView | null> {
  const { rows } = await db.query<Row>({
    name: 'read-user',
    text: `${SELECT_USERS} where u.project_id = $1 and u.key = $2`,
    values: [projectId, key],
  });
  return rows[0] ? toView(rows[0]) : null;
}

/** Newest first. */
export async function listUsers(
  db: Database,
  { projectId, limit, beforeId }: { projectId: number; limit: number; beforeId: number | null },
): Promise<UserView[]> {
  const where = new Where(projectId).always('u.project_id = $1').add(beforeId, (id) => `u.id < ${id}`);
  const { rows } = await db.query<Row>(
    `${SELECT_USERS} where ${where.sql} order by u.id desc limit ${where.place(limit)}`,
    where.values,
  );
  return rows.map(toView);
}

const toView = (row: Row): UserView => ({
  ...row,
  events: row.events.map(({ timing, ...event }) => ({ ...event, timezone: readTiming(timing).timezone })),
});
