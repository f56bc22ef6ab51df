import type { RunOrigin } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { fromMs } from '../sql-text.js';

/** A run that does not start now: it waits, or is accounted for with the reason why it never will. */
export interface UnstartedRun {
  scheduleId: number;
  projectId: number;
  definitionVersion: number;
  origin: RunOrigin;
  occurrenceAt: number;
  dueAt: number;
  state: /** May start at `nextAttemptAt`; null waits for its turn. */
    | { status: 'queued'; nextAttemptAt: number | null }
    | { status: 'skipped'; reasonCode: string; reason: string };
}

/** Answers whether the run is new. The caller holds the schedule's row lock. */
export async function insertRun(tx: Transaction, run: UnstartedRun, nowAt: number): Promise<boolean> {
  const { state } = run;
  const isQueued = state.status === 'queued';
  const { rowCount } = await tx.query({
    name: 'insert-run',
    text: `insert into runs (schedule_id, occurrence_at, origin, project_id, version, status, due_at, enqueued_at,
                             next_attempt_at, open, finished_at, reason_code, reason)
           values ($1, ${fromMs('$2::bigint')}, $3, $4, $5, $6, ${fromMs('$7::bigint')}, ${fromMs('$8::bigint')},
                   ${fromMs('$9::bigint')}, $10, ${fromMs('$11::bigint')}, $12, $13)
           on conflict do nothing`,
    values: [
      run.scheduleId,
      run.occurrenceAt,
      run.origin,
      run.projectId,
      run.definitionVersion,
      state.status,
      run.dueAt,
      nowAt,
      isQueued ? state.nextAttemptAt : null,
      isQueued ? true : null,
      isQueued ? null : nowAt,
      isQueued ? null : state.reasonCode,
      isQueued ? null : state.reason,
    ],
  });
  return rowCount === 1;
}
