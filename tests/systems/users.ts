import {
  createUser,
  handleNextEvent,
  type NewUser,
  readSchedule,
  readUser,
  type UserView,
} from '@carillon/db';
import type { TestDatabase } from '@carillon/testkit';

const DEFAULTS = {
  target: { type: 'handler', name: 'log' } as const,
  maxAttempts: 3,
  baseDelayMs: 1_000,
  allowPrivateTargets: true,
};

/** Functions for tests of users on the real engine, with time as an argument. */
export function useUsers({ pool, projectId }: { pool: () => TestDatabase['pool']; projectId: number }) {
  const read = async (key: string): Promise<UserView> => {
    const user = await readUser(pool(), projectId, key);
    if (!user) throw new Error(`user ${key} does not exist`);
    return user;
  };
  const birthday = async (key: string) => {
    const scheduleKey = (await read(key)).events.find(({ name }) => name === 'birthday')?.scheduleKey ?? '';
    const schedule = await readSchedule(pool(), projectId, scheduleKey);
    if (!schedule) throw new Error(`user ${key} has no birthday schedule`);
    return schedule;
  };
  return {
    read,
    birthday,
    async create(user: Partial<NewUser>, nowAt: number): Promise<string> {
      const created = await createUser(
        pool(),
        { projectId, limits: {}, actor: 'test', nowAt, defaults: DEFAULTS },
        {
          firstName: 'Ada',
          lastName: 'Lovelace',
          dateOfBirth: '1990-12-10',
          timezone: 'Europe/London',
          target: null,
          localTime: '09:00',
          leapDay: 'feb28',
          ...user,
        },
      );
      if (created.kind !== 'created') throw new Error(JSON.stringify(created));
      return created.key;
    },
    /** The time of the next birthday, in UTC; null if there is none. */
    async next(key: string): Promise<string | null> {
      const { nextRunAt } = await birthday(key);
      return nextRunAt === null ? null : new Date(nextRunAt).toISOString();
    },
    /** Handles the pending domain events; returns their reports. */
    async handle(now: number) {
      const reports = [];
      for (;;) {
        const handled = await handleNextEvent(pool(), now);
        if (!handled) return reports;
        if (handled.kind === 'failed') throw handled.error;
        reports.push(handled.report);
      }
    },
  };
}
