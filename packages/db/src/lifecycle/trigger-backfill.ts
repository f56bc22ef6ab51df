import { type Admission, encodeRunId, nextOccurrences } from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { insertRun } from '../queries/insert-run.js';
import { admit, cancelOpenRuns } from '../queries/open-runs.js';
import { fromMs, toMs } from '../sql-text.js';
import { type ChangeRequest, type ChangeResult, changeSchedule, Refused } from './change-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';

/** Runs a schedule now, whatever its rule says; `nextRunAt` stays where it is. Answers with the run's id. */
export function triggerSchedule(db: Database, request: ChangeRequest): Promise<ChangeResult<string>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    refuseCancelled(schedule, 'triggered');
    // Two triggers within a millisecond are two runs.
    let occurrenceAt = schedule.nowAt;
    while (!(await insertOne(tx, schedule, 'trigger', occurrenceAt))) occurrenceAt++;
    const runId = encodeRunId({ scheduleId: schedule.id, occurrenceAt, origin: 'trigger' });
    return {
      value: runId,
      dueAts: [schedule.nowAt],
      audit: { action: 'schedule.triggered', detail: { runId } },
    };
  });
}

/** A range with more than this is refused rather than cut short: what was left out would not be seen. */
const LARGEST_BACKFILL = 10_000;

export interface Backfill {
  fromAt: number;
  toAt: number;
}

/** Runs the occurrences of a range that have no run which succeeded or is under way. Answers how many. */
export function backfillSchedule(
  db: Database,
  request: ChangeRequest,
  { fromAt, toAt }: Backfill,
): Promise<ChangeResult<number>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    refuseCancelled(schedule, 'backfilled');
    const named = nextOccurrences(schedule.timing, fromAt - 1, LARGEST_BACKFILL + 1).filter(
      (at) => at <= toAt,
    );
    if (named.length > LARGEST_BACKFILL) {
      throw new Refused(`the range holds more than ${LARGEST_BACKFILL} occurrences; backfill it in parts`);
    }
    const done = await readDone(tx, schedule.id, { fromAt, toAt });
    let count = 0;
    for (const occurrenceAt of named) {
      if (!done.has(occurrenceAt) && (await insertOne(tx, schedule, 'backfill', occurrenceAt))) count++;
    }
    const detail = { from: new Date(fromAt).toISOString(), to: new Date(toAt).toISOString(), count };
    return { value: count, dueAts: [schedule.nowAt], audit: { action: 'schedule.backfilled', detail } };
  });
}

function refuseCancelled({ status }: LockedSchedule, what: string): void {
  if (status === 'cancelled') throw new Refused(`it is cancelled and can't be ${what}`);
}

/** Inserts a run by the same policies as a bell would, and lets it start as soon as they allow. */
async function insertOne(
  tx: Transaction,
  schedule: LockedSchedule,
  origin: 'trigger' | 'backfill',
  occurrenceAt: number,
): Promise<boolean> {
  const admission: Admission = schedule.counted
    ? await admit(tx, schedule, schedule.nowAt)
    : { kind: 'start' };
  if (admission.kind === 'replace')
    await cancelOpenRuns(tx, schedule.id, 'the next run took its place', schedule.nowAt);
  return insertRun(
    tx,
    {
      scheduleId: schedule.id,
      projectId: schedule.projectId,
      definitionVersion: schedule.definitionVersion,
      origin,
      occurrenceAt,
      dueAt: schedule.nowAt,
      state:
        admission.kind === 'skip'
          ? { status: 'skipped', ...admission }
          : { status: 'queued', nextAttemptAt: admission.kind === 'queue' ? null : schedule.nowAt },
    },
    schedule.nowAt,
  );
}

async function readDone(
  tx: Transaction,
  scheduleId: number,
  { fromAt, toAt }: Backfill,
): Promise<Set<number>> {
  const { rows } = await tx.query<{ at: number }>(
    `select ${toMs('occurrence_at')} as at from every_run
     where schedule_id = $1 and occurrence_at between ${fromMs('$2::bigint')} and ${fromMs('$3::bigint')}
       and origin <> 'trigger' and status in ('queued', 'running', 'retrying', 'succeeded')`,
    [scheduleId, fromAt, toAt],
  );
  return new Set(rows.map((row) => row.at));
}
