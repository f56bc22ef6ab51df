import { AWAITING_PING, readTiming, type Timing } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inTransaction } from '../database.js';
import { instant, NOW } from '../instants.js';
import { mayTake, release } from '../runs/run-transitions.js';
import { statement, type Values } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';

/**
 * A ping is an HTTP request by which an outside job reports its state. A ping of the kind `log` is only stored for
 * people to read.
 */
export type PingKind = 'start' | 'success' | 'fail' | 'log';

const insertPing = statement<Values, { projectId: number; woken: number }>(
  'record-ping',
  `with pinged as (
     select s.id, s.project_id from carillon.schedules s
     where s.id = :scheduleId and s.target_type = 'heartbeat' and s.status <> 'cancelled'
       and :generation::int = coalesce((select t.generation from carillon.ping_tokens t where t.schedule_id = s.id), 1)
   ), kept as (
     insert into carillon.pings (project_id, schedule_id, kind, at, body)
     select project_id, id, :kind, ${NOW}, :body from pinged
   ), woken as (
     update carillon.runs r set ${release(NOW)} from pinged
     where r.schedule_id = pinged.id and r.project_id = pinged.project_id and ${mayTake('release')}
       and r.next_attempt_at > ${NOW} and r.next_attempt_at < 'infinity' and r.reason_code = '${AWAITING_PING}' and :kind in ('success', 'fail')
     returning r.schedule_id
   )
   select project_id as "projectId", (select count(*) from woken) as woken from pinged`,
);

export interface PingRequest {
  scheduleId: number;
  /** The generation of the ping token that was used. Each rotation of the token increases it. */
  generation: number;
  kind: PingKind;
  body: string | null;
  now: number | null;
}

/**
 * Records a ping (a report by an outside job) for a schedule with the target `heartbeat`. A success or a failure wakes
 * the runs that wait for a ping; `hasWoken` is true if there were any. Returns null if the ping token was rotated, or
 * if the schedule was removed, was cancelled or has another target.
 */
export async function recordPing(db: Database, ping: PingRequest): Promise<{ hasWoken: boolean } | null> {
  const [recorded] = await insertPing(db, { ...ping });
  return recorded ? { hasWoken: recorded.woken > 0 } : null;
}

const selectTiming = statement<{ scheduleId: number; projectId: number }, { timing: string }>(
  'read-heartbeat-timing',
  'select timing from carillon.schedules where id = :scheduleId and project_id = :projectId',
);

/**
 * Reads the timing of a schedule with the target `heartbeat`. The timing decides how long before the due time a ping
 * counts.
 */
export async function readHeartbeatTiming(
  db: Database,
  schedule: { scheduleId: number; projectId: number },
): Promise<Timing | null> {
  const [row] = await selectTiming(db, schedule);
  return row ? readTiming(row.timing) : null;
}

const IN_WINDOW = `schedule_id = :scheduleId and project_id = :projectId and at > ${instant(':fromAt')} and at <= ${instant(':toAt')}`;

const take = statement<Values, { kind: 'success' | 'fail'; body: string | null }>(
  'take-ping',
  `update carillon.pings set occurrence_at = ${instant(':occurrenceAt')} where id = (
     select id from carillon.pings
     where ${IN_WINDOW} and kind in ('success', 'fail') and (occurrence_at is null or occurrence_at = ${instant(':occurrenceAt')})
     order by at limit 1 for update
   ) returning kind, body`,
);

const selectStart = statement<Values, object>(
  'read-start-ping',
  `select from carillon.pings where ${IN_WINDOW} and kind = 'start' limit 1`,
);

export interface PingWindow {
  projectId: number;
  scheduleId: number;
  occurrenceAt: number;
  /** The start of the window; exclusive. */
  fromAt: number;
  toAt: number;
}

/**
 * Finds the earliest ping (a report by the outside job) in a window that says success or failure, and assigns it to
 * this occurrence. A ping of another occurrence is left out, so that no ping counts twice. Returns null if there is
 * none.
 */
export async function takePing(
  db: Database,
  window: PingWindow,
): Promise<{ kind: 'success' | 'fail'; body: string | null } | null> {
  const [ping] = await take(db, { ...window });
  return ping ?? null;
}

/** True if the outside job has reported its start within the window. */
export async function hasStartPing(db: Database, window: PingWindow): Promise<boolean> {
  return (await selectStart(db, { ...window })).length > 0;
}

export interface PingView {
  at: number;
  kind: PingKind;
  body: string | null;
  occurrenceAt: number | null;
}

const selectPings = statement<Values, PingView>(
  'read-pings',
  `select at, kind, body, occurrence_at as "occurrenceAt" from carillon.pings
   where schedule_id = :scheduleId and project_id = :projectId order by at desc, id desc limit :limit`,
);

const selectGeneration = statement<Values, { generation: number }>(
  'read-ping-generation',
  'select generation from carillon.ping_tokens where schedule_id = :scheduleId and project_id = :projectId',
);

/** Reads the generation of a schedule's ping token (each rotation increases it), and the latest pings. */
export async function readHeartbeat(
  db: Database,
  schedule: { scheduleId: number; projectId: number; limit: number },
): Promise<{ generation: number; pings: PingView[] }> {
  const [row] = await selectGeneration(db, { ...schedule });
  return { generation: row?.generation ?? 1, pings: await selectPings(db, { ...schedule }) };
}

const rotate = statement<Values>(
  'rotate-ping-token',
  `insert into carillon.ping_tokens as t (schedule_id, project_id, generation) values (:scheduleId, :projectId, 2)
   on conflict (schedule_id) do update set generation = t.generation + 1`,
);

/** Invalidates the current ping token of a schedule. */
export async function rotatePingToken(
  pool: Pool,
  { actor, key, ...schedule }: { projectId: number; scheduleId: number; key: string; actor: string },
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await rotate(tx, { ...schedule });
    await recordAudit(tx, {
      projectId: schedule.projectId,
      key,
      actor,
      action: 'schedule.ping_token_rotated',
    });
  });
}
