import { encodeRunId, isCounted, type Moment, type Stretch } from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { recordPassed } from '../queries/move-on.js';
import { fromMs } from '../sql-text.js';
import { readInFlight } from './cancel-schedule.js';
import { type ChangeRequest, type ChangeResult, changeSchedule, Refused } from './change-schedule.js';
import type { Draft } from './create-schedules.js';
import type { LockedSchedule } from './locked-schedule.js';
import { replaceSecret } from './replace-secret.js';

export interface Edit extends Omit<Draft, 'key' | 'first' | 'requestHash'> {
  /** Null takes the schedule's secret away; where it is left out, what holds stays. */
  sealedSecret?: Buffer | null;
  /** Of what the code declares, to see whether it has changed. */
  requestHash?: string;
  /** When the schedule is due next under the new definition; null finishes it. */
  next: Moment | null;
  /** What fell into a pause that is still on: the definition which named it goes, so it is accounted for now. */
  passed?: Stretch | null;
}

export interface Edited {
  version: number;
  /** Runs that go on under the definition which they began with. */
  inFlight: string[];
}

/** Puts a new definition in place of the one that holds. `edit` is worked out under the lock, from what holds. */
export function editSchedule(
  db: Database,
  request: ChangeRequest,
  edit: (schedule: LockedSchedule, tx: Transaction) => Promise<Edit> | Edit,
): Promise<ChangeResult<Edited>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    if (schedule.status === 'cancelled') throw new Refused("it is cancelled and can't be edited");
    const made = await edit(schedule, tx);
    if (made.passed) await recordPassed(tx, schedule, made.passed, schedule.nowAt);
    const { sealedSecret } = made;
    if (sealedSecret !== undefined) {
      await replaceSecret(tx, { projectId: schedule.projectId, scheduleId: schedule.id }, sealedSecret);
    }
    const hasSecret = sealedSecret === undefined ? schedule.plan.hasSecret : sealedSecret !== null;
    const version = schedule.version + 1;
    await tx.query(
      `update schedule_versions set superseded_at = ${fromMs('$2::bigint')} where schedule_id = $1 and superseded_at is null`,
      [schedule.id, schedule.nowAt],
    );
    await tx.query(
      `insert into schedule_versions (schedule_id, version, project_id, key, name, tags, target_type, rule, timing, plan,
                                      payload, created_at, created_by, request_hash)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, ${fromMs('$12::bigint')}, $13, $14)`,
      [
        schedule.id,
        version,
        schedule.projectId,
        schedule.key,
        made.name,
        made.tags,
        made.plan.target.type,
        JSON.stringify(made.rule),
        JSON.stringify(made.timing),
        JSON.stringify({ ...made.plan, hasSecret }),
        made.payload,
        schedule.nowAt,
        request.actor,
        made.requestHash ?? null,
      ],
    );
    await tx.query(
      `update schedules
       set version = $2, definition_version = $2, counted = $3, occurrence_at = ${fromMs('$4::bigint')},
           next_run_at = ${fromMs('$5::bigint')}, updated_at = ${fromMs('$6::bigint')},
           status = (case when status = 'paused' then 'paused' when $5::bigint is null then 'finished' else 'active' end)::schedule_status
       where id = $1`,
      [
        schedule.id,
        version,
        isCounted(made.plan),
        made.next?.occurrenceAt ?? null,
        made.next?.dueAt ?? null,
        schedule.nowAt,
      ],
    );
    const inFlight = (await readInFlight(tx, schedule.id)).map(encodeRunId);
    return {
      value: { version, inFlight },
      audit: { action: 'schedule.edited', detail: { version, inFlight } },
    };
  });
}
