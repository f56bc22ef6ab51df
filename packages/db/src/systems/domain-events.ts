import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';
import { milliseconds, NOW } from '../instants.js';
import { NOW as CLOCK } from '../schema/columns.js';
import { domainEvents } from '../schema/systems.js';
import { statement } from '../statement.js';
import { orm } from '../tenancy/orm.js';
import { type RescheduleReport, rescheduleEvents } from './reschedule-events.js';

export type DomainEventType = 'UserBirthdayChanged' | 'UserTimezoneChanged' | 'UserDetailsChanged';

export interface DomainEvent {
  id: number;
  projectId: number;
  type: DomainEventType;
  /** The key of the user. */
  subject: string;
  tries: number;
}

interface NewEvents {
  projectId: number;
  subject: string;
  events: readonly { type: DomainEventType; detail: unknown }[];
  now: number | null;
}

/** Inserts domain events in the transaction of the change that they report. */
export async function insertDomainEvents(
  tx: Transaction,
  { projectId, subject, events, now }: NewEvents,
): Promise<void> {
  const rows = events.map(({ type, detail }) => ({
    projectId,
    type,
    subject,
    detail,
    nextTryAt: now ?? CLOCK,
  }));
  await orm(tx).insert(domainEvents).values(rows);
}

export type HandledEvent =
  | { kind: 'handled'; event: DomainEvent; report: RescheduleReport }
  | { kind: 'failed'; event: DomainEvent; error: Error };

/**
 * Handles the oldest pending domain event; null if there is none. The row lock makes sure that only one worker handles
 * it. The changes of the handler and the event's new state are committed together. A failed event is retried.
 */
export function handleNextEvent(pool: Pool, now: number | null): Promise<HandledEvent | null> {
  return inTransaction(pool, async (tx) => {
    const [event] = await lockNext(tx, { now });
    if (!event) return null;
    const { id, tries } = event;
    try {
      const report = await inTransaction(tx, (nested) => rescheduleEvents(nested, event, now));
      // If another request has changed a schedule meanwhile, that schedule still has the old data. So the event is
      // handled once more.
      const mustRepeat = report.left.some(({ why }) => why === 'changed');
      const retryInMs = mustRepeat ? REPEAT_DELAY_MS : null;
      await recordTry(tx, { id, now, retryInMs, error: null, report: JSON.stringify(report) });
      return { kind: 'handled', event, report };
    } catch (error) {
      const { message } = error as Error;
      await recordTry(tx, { id, now, retryInMs: retryDelayMs(tries), error: message, report: null });
      return { kind: 'failed', event, error: error as Error };
    }
  });
}

const REPEAT_DELAY_MS = 1_000;
const MAX_DELAY_MS = 300_000;
/** The delay before the next try: 1 s, 2 s, 4 s and so on up to 5 minutes. An event is never given up. */
const retryDelayMs = (tries: number) => Math.min(1_000 * 2 ** Math.min(tries, 20), MAX_DELAY_MS);

const lockNext = statement<{ now: number | null }, DomainEvent>(
  'lock-next-event',
  `select id, project_id as "projectId", type, subject, tries from carillon.domain_events
   where next_try_at <= ${NOW} order by next_try_at, id limit 1 for update skip locked`,
);

interface EventTry {
  id: number;
  now: number | null;
  /** Null if the event is done. */
  retryInMs: number | null;
  error: string | null;
  report: string | null;
}

const recordTry = statement<EventTry>(
  'record-event-try',
  `update carillon.domain_events
   set tries = least(tries + 1, 1000), last_error = :error, report = :report,
       next_try_at = ${NOW} + ${milliseconds(':retryInMs::bigint')},
       handled_at = case when :retryInMs::bigint is null then ${NOW} end
   where id = :id`,
);
