import type { ScheduleInput } from '@carillon/client';
import { callFunction } from '@carillon/db/call-function';

/**
 * A transaction of your program: a `pg` client, any object with the same `query` method, or a drizzle transaction of
 * any Postgres driver.
 */
export type UserTransaction =
  | { query(text: string, values: unknown[]): PromiseLike<{ rows: unknown[] }> }
  | { execute(query: never): PromiseLike<unknown> };

export interface SqlOptions {
  /**
   * The project of the schedule. Only the Postgres role that owns the installation may set it; every other role is
   * bound to one project.
   */
  project?: string | undefined;
  /** The Postgres schema of Carillon's tables (default `carillon`). */
  schema?: string | undefined;
}

/** A schedule to request by SQL. The id is required: it makes a repeated request harmless. */
export type SqlSchedule = ScheduleInput & { id: string };

/**
 * Requests a schedule in a transaction of your own: of a `pg` client or of drizzle. After the commit, a worker creates
 * the schedule. If the transaction rolls back, nothing was requested. Returns the id of the schedule.
 */
export async function scheduleIn(
  tx: UserTransaction,
  { id, rule = {}, timezone, target, payload, ...others }: SqlSchedule,
  { project, schema }: SqlOptions = {},
): Promise<string> {
  const options = JSON.stringify(others);
  await callFunction(tx, {
    name: 'schedule',
    schema,
    arguments: {
      id: { type: 'text', value: id },
      at: { type: 'timestamptz', value: rule.at === undefined ? undefined : instantOf(rule.at) },
      cron: { type: 'text', value: rule.cron },
      every: { type: 'interval', value: rule.every },
      in: { type: 'interval', value: rule.in },
      rrule: { type: 'text', value: rule.rrule },
      timezone: { type: 'text', value: timezone },
      target: { type: 'jsonb', value: target && JSON.stringify(target) },
      payload: { type: 'jsonb', value: payload === undefined ? undefined : JSON.stringify(payload) },
      options: { type: 'jsonb', value: options === '{}' ? undefined : options },
      project: { type: 'text', value: project },
    },
  });
  return id;
}

/** Cancels a schedule in a transaction of your own. Returns false if there is nothing to cancel. */
export async function cancelIn(
  tx: UserTransaction,
  id: string,
  { project, schema }: SqlOptions = {},
): Promise<boolean> {
  const args = { id: { type: 'text', value: id }, project: { type: 'text', value: project } } as const;
  return (await callFunction(tx, { name: 'cancel', schema, arguments: args })) === true;
}

/** Runs a schedule once, after the commit of a transaction of your own. Throws if there is no such schedule. */
export async function triggerIn(
  tx: UserTransaction,
  id: string,
  { project, schema }: SqlOptions = {},
): Promise<void> {
  const args = { id: { type: 'text', value: id }, project: { type: 'text', value: project } } as const;
  await callFunction(tx, { name: 'trigger', schema, arguments: args });
}

/**
 * Refuses a time without an offset, because Postgres would read it in the time zone of the session, which is rarely
 * what is meant.
 */
function instantOf(at: Date | string): string {
  if (at instanceof Date) return at.toISOString();
  if (!/(Z|[+-]\d\d:?\d\d)$/i.test(at))
    throw new TypeError(`rule.at: expected a Date, or a time with Z or an offset, and not ${at}`);
  return at;
}
