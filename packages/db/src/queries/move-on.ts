import type { Moment, Stretch } from '@carillon/shared';
import { nextOccurrence, nextOccurrences, stretchFrom } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { fromMs, numberArray, toMs } from '../sql-text.js';
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
  if (stretch.count <= LONGEST_LIST) return recordEach(tx, row, stretch, nowAt);
  for (const piece of await cutAtRuns(tx, row, stretch)) {
    const record = piece.count > LONGEST_LIST ? recordGap : recordEach;
    await record(tx, row, piece, nowAt);
  }
}

type PassedBy = Pick<DueRow, 'id' | 'projectId' | 'definitionVersion' | 'timing'>;

/**
 * Leaves out what has its run already: an occurrence that was skipped by hand ahead of its time, and that a later rule
 * names too. A gap over it would account for it twice.
 */
async function cutAtRuns(
  tx: Transaction,
  { id, timing }: PassedBy,
  { fromAt, toAt, count: _, ...why }: Stretch,
): Promise<Stretch[]> {
  const { rows } = await tx.query<{ at: number }>(
    `select ${toMs('occurrence_at')} as at from runs
     where schedule_id = $1 and origin = 'rule' and occurrence_at between ${fromMs('$2::bigint')} and ${fromMs('$3::bigint')}
     order by occurrence_at`,
    [id, fromAt, toAt],
  );
  const pieces: Stretch[] = [];
  let nextAt: number | null = fromAt;
  for (const at of [...rows.map((row) => row.at), toAt + 1]) {
    if (nextAt !== null && nextAt < at)
      pieces.push(stretchFrom(timing, { fromAt: nextAt, untilAt: at - 1, ...why }));
    nextAt = nextOccurrence(timing, at);
  }
  return pieces;
}

async function recordEach(tx: Transaction, row: PassedBy, stretch: Stretch, nowAt: number): Promise<void> {
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
