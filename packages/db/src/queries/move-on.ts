import type { Moment, Stretch } from '@carillon/shared';
import { nextOccurrences } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { fromMs, numberArray } from '../sql-text.js';
import type { DueRow } from './read-due.js';

/** Moves a locked schedule on without starting a run; `runs` says how many it made that are to start later. */
export async function moveOn(
  tx: Transaction,
  row: Pick<DueRow, 'id'>,
  { next, runs }: { next: Moment | null; runs: 0 | 1 },
): Promise<void> {
  await tx.query({
    name: 'move-on',
    text: `update schedules
           set status = (case when $3::bigint is null then 'finished' else 'active' end)::schedule_status,
               occurrence_at = ${fromMs('$2::bigint')}, next_run_at = ${fromMs('$3::bigint')}, runs_total = runs_total + $4
           where id = $1 and status = 'active'`,
    values: [row.id, next?.occurrenceAt ?? null, next?.dueAt ?? null, runs],
  });
}

/** A stretch up to this long is a skipped run for each occurrence; a longer one is one row that counts them. */
const LONGEST_LIST = 100;

/** Records occurrences that were not run, with the reason. */
export async function recordPassed(
  tx: Transaction,
  row: PassedBy,
  stretch: Stretch,
  nowAt: number,
): Promise<void> {
  if (stretch.count > LONGEST_LIST) return recordGap(tx, row, stretch, nowAt);
  const occurrences = nextOccurrences(row.timing, stretch.fromAt, stretch.count - 1);
  await tx.query(
    `insert into runs (schedule_id, occurrence_at, origin, project_id, version, status, due_at, enqueued_at, finished_at,
                       reason_code, reason)
     select $1, ${fromMs('occurrence_at')}, 'rule', $2, $3, 'skipped', ${fromMs('occurrence_at')}, ${fromMs('$5::bigint')},
            ${fromMs('$5::bigint')}, $6, $7
     from unnest($4::bigint[]) as occurrence_at
     on conflict do nothing`,
    [
      row.id,
      row.projectId,
      row.definitionVersion,
      numberArray([stretch.fromAt, ...occurrences]),
      nowAt,
      stretch.reasonCode,
      stretch.reason,
    ],
  );
}

type PassedBy = Pick<DueRow, 'id' | 'projectId' | 'definitionVersion' | 'timing'>;

async function recordGap(tx: Transaction, row: PassedBy, stretch: Stretch, nowAt: number): Promise<void> {
  await tx.query(
    `insert into gaps (project_id, schedule_id, version, from_at, to_at, count, reason_code, reason, created_at)
     values ($1, $2, $3, ${fromMs('$4::bigint')}, ${fromMs('$5::bigint')}, $6, $7, $8, ${fromMs('$9::bigint')})`,
    [
      row.projectId,
      row.id,
      row.definitionVersion,
      stretch.fromAt,
      stretch.toAt,
      stretch.count,
      stretch.reasonCode,
      stretch.reason,
      nowAt,
    ],
  );
}
