import { nextOccurrences, type Stretch, type Timing } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { instant } from '../instants.js';
import { batch, statement, type Values } from '../statement.js';
import { insertUnstartedRuns, type UnstartedRun } from './insert-unstarted.js';

/**
 * If at most this many occurrences in a row were not run, each is recorded as a skipped run. More are recorded
 * together, as one gap.
 */
const MAX_SKIPPED_RUNS_IN_A_ROW = 100;

/** Consecutive occurrences of one schedule that were not run. */
export interface PassedOccurrences {
  schedule: { id: number; projectId: number; definitionVersion: number; timing: Timing };
  stretch: Stretch;
}

/** Records occurrences that were not run, with the reason. A few are recorded as skipped runs, many as a gap. */
export async function accountFor(
  tx: Transaction,
  passed: readonly PassedOccurrences[],
  nowAt: number,
): Promise<void> {
  const short = passed.filter(({ stretch }) => stretch.count <= MAX_SKIPPED_RUNS_IN_A_ROW);
  const long = passed.filter(({ stretch }) => stretch.count > MAX_SKIPPED_RUNS_IN_A_ROW);
  await insertUnstartedRuns(tx, short.flatMap(toSkippedRuns), nowAt);
  if (long.length > 0) await insertGaps(tx, { now: nowAt, ...gaps.of(long.map(toGap)) });
}

function toSkippedRuns({ schedule, stretch }: PassedOccurrences): UnstartedRun[] {
  const { fromAt, count, reasonCode, reason } = stretch;
  // If the rule can no longer be evaluated, only the first occurrence is known, and `count` is 1.
  const later = count > 1 ? nextOccurrences(schedule.timing, fromAt, count - 1) : [];
  const occurrences = [fromAt, ...later];
  return occurrences.map((occurrenceAt) => ({
    scheduleId: schedule.id,
    projectId: schedule.projectId,
    version: schedule.definitionVersion,
    handler: null,
    origin: 'rule',
    occurrenceAt,
    dueAt: occurrenceAt,
    status: 'skipped',
    startsAt: null,
    reasonCode,
    reason,
  }));
}

interface GapRow extends Stretch {
  projectId: number;
  scheduleId: number;
  version: number;
}

const toGap = ({ schedule, stretch }: PassedOccurrences): GapRow => ({
  ...stretch,
  projectId: schedule.projectId,
  scheduleId: schedule.id,
  version: schedule.definitionVersion,
});

const gaps = batch<GapRow>('gap', {
  projectId: 'bigint',
  scheduleId: 'bigint',
  version: 'int',
  fromAt: 'instant',
  toAt: 'instant',
  count: 'int',
  reasonCode: 'text',
  reason: 'text',
});

const insertGaps = statement<Values>(
  'insert-gaps',
  `insert into carillon.gaps (project_id, schedule_id, version, from_at, to_at, count, reason_code, reason, created_at)
   select project_id, schedule_id, version, from_at, to_at, count, reason_code, reason, ${instant(':now')} from ${gaps.source}`,
);
