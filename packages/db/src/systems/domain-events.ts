import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';
import { nowOr } from '../sql-text.js';
import { type RescheduleReport, rescheduleEvents } from './reschedule-events.js';

export type DomainEventType = 'UserBirthdayChanged' | 'UserTimezoneChanged' | 'UserDetailsChanged';

export interface DomainEvent {
  id: number;
  projectId: number;
  type: DomainEventType;
  /** The id of the user. */
  subject: string;
  tries: number;
}

/** Writes events in the transaction of the change that they tell of. */
export async function insertDomainEvents(
  tx: Transaction,
  {
    projectId,
    subject,
    events,
    now,
  }: {
    projectId: number;
    subject: string;
    events: readonly { type: DomainEventType; detail: unknown }[];
    now: number | null;
  },
): Promise<void> {
  for (const { type, detail } of events) {
    await tx.query(
      `insert into domain_events (project_id, type, subject, detail, next_try_at) values ($1, $2, $3, $4, ${nowOr('$5')})`,
      [projectId, type, subject, JSON.stringify(detail), now],
    );
  }
}

export type HandledEvent =
  | { kind: 'handled'; event: DomainEvent; report: RescheduleReport }
  | { kind: 'failed'; event: DomainEvent; error: Error };

/**
 * Handles the oldest event that waits; null where none does. Its row lock makes one handler of many the only one, and what
 * the handler does is committed with the note that it is done. What fails is tried again.
 */
export async function handleNextEvent(pool: Pool, now: number | null): Promise<HandledEvent | null> {
  return inTransaction(pool, async (tx) => {
    const event = await lockNextEvent(tx, now);
    if (!event) return null;
    try {
      const report = await inTransaction(tx, (nested) => rescheduleEvents(nested, event, now));
      // What was changed meanwhile is looked at once more, or it would keep to the old date for ever.
      const isLeftOver = report.left.some(({ why }) => why === 'changed');
      await settle(tx, event, { report, retryInMs: isLeftOver ? LOOK_AGAIN_MS : null, error: null, now });
      return { kind: 'handled', event, report };
    } catch (error) {
      const { message } = error as Error;
      await settle(tx, event, { report: null, retryInMs: retryInMs(event.tries), error: message, now });
      return { kind: 'failed', event, error: error as Error };
    }
  });
}

const LOOK_AGAIN_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** 1 s, 2 s, 4 s and so on; it is never given up. */
const retryInMs = (tries: number) => Math.min(1_000 * 2 ** Math.min(tries, 20), LONGEST_WAIT_MS);

async function lockNextEvent(tx: Transaction, now: number | null): Promise<DomainEvent | null> {
  const { rows } = await tx.query<DomainEvent>({
    name: 'lock-next-event',
    text: `select id, project_id as "projectId", type, subject, tries from domain_events
           where next_try_at <= ${nowOr('$1')} order by next_try_at, id limit 1 for update skip locked`,
    values: [now],
  });
  return rows[0] ?? null;
}

interface Settled {
  report: RescheduleReport | null;
  /** Null where it is done. */
  retryInMs: number | null;
  error: string | null;
  now: number | null;
}

async function settle(tx: Transaction, event: DomainEvent, { report, retryInMs, error, now }: Settled) {
  const isDone = retryInMs === null;
  await tx.query(
    `update domain_events
     set tries = least(tries + 1, 1000), last_error = $3, report = $4,
         next_try_at = case when $5 then null else ${nowOr('$2')} + $6 * interval '1 millisecond' end,
         handled_at = case when $5 then ${nowOr('$2')} end
     where id = $1`,
    [event.id, now, error, report && JSON.stringify(report), isDone, retryInMs ?? 0],
  );
}

/** Events that were handled long ago. */
export async function forgetEvents(pool: Pool, now: number | null): Promise<void> {
  await pool.query(
    `delete from domain_events where id in (
       select id from domain_events where handled_at < ${nowOr('$1')} - interval '30 days' limit 10000)`,
    [now],
  );
}
