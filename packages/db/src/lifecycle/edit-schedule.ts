import {
  type DueSchedule,
  decideDue,
  encodeRunId,
  isCounted,
  type Moment,
  momentAfter,
  type Plan,
  type Stretch,
  storePlan,
  storeTiming,
  stretchFrom,
} from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { insertRun } from '../queries/insert-run.js';
import { recordPassed } from '../queries/move-on.js';
import { writeDownOf } from '../queries/write-down.js';
import { fromMs } from '../sql-text.js';
import { readInFlight } from './cancel-schedule.js';
import { type ChangeRequest, type ChangeResult, changeSchedule, Refused } from './change-schedule.js';
import type { Draft } from './create-schedules.js';
import type { LockedSchedule } from './locked-schedule.js';
import { passedInPause } from './pause-resume.js';
import { promoteLocked } from './promote-queued.js';
import { replaceSecret } from './replace-secret.js';

export interface Edit extends Omit<Draft, 'key' | 'first' | 'requestHash'> {
  /** Null takes the schedule's secret away; where it is left out, what holds stays. */
  sealedSecret?: Buffer | null;
  /** Of what the code declares, to see whether it has changed. */
  requestHash?: string;
  /** When the schedule is due next under the new definition; null finishes it. */
  next: Moment | null;
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
    // The new rule may name what is under way now: it is found by its row.
    await writeDownOf(tx, schedule.id);
    const asked = await edit(schedule, tx);
    const made = { ...asked, next: await firstUnaccounted(tx, schedule, asked) };
    const { sealedSecret } = made;
    if (sealedSecret !== undefined) {
      await replaceSecret(tx, { projectId: schedule.projectId, scheduleId: schedule.id }, sealedSecret);
    }
    const hasSecret = sealedSecret === undefined ? schedule.plan.hasSecret : sealedSecret !== null;
    const version = schedule.version + 1;
    const runs = await settleOverdue(tx, schedule, { ...made, version });
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
        storeTiming(made.timing),
        storePlan({ ...made.plan, hasSecret }),
        made.payload,
        schedule.nowAt,
        request.actor,
        made.requestHash ?? null,
      ],
    );
    await tx.query(
      `update schedules
       set version = $2, definition_version = $2, counted = $3, runs_total = runs_total + $7,
           accounted_until = (select max(occurrence_at) from runs
                              where schedule_id = $1 and origin = 'rule' and occurrence_at > ${fromMs('$4::bigint')}),
           occurrence_at = ${fromMs('$4::bigint')},
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
        runs,
      ],
    );
    const inFlight = (await readInFlight(tx, schedule.id)).map(encodeRunId);
    return {
      value: { version, inFlight },
      audit: { action: 'schedule.edited', detail: { version, inFlight } },
    };
  });
}

/** More than this are not looked through: whatever comes then finds out at its claim. */
const MOST_LOOKED_AT = 1_000;

/** An occurrence that was skipped, or has run, before its time came is not named again, though the new rule names that instant too. */
async function firstUnaccounted(
  tx: Transaction,
  { id, key }: LockedSchedule,
  { next: first, timing, plan }: Edit,
): Promise<Moment | null> {
  let next = first;
  for (let looked = 0; next && looked < MOST_LOOKED_AT; looked++) {
    const { rowCount } = await tx.query({
      name: 'is-accounted-for',
      text: `select from runs where schedule_id = $1 and occurrence_at = ${fromMs('$2::bigint')} and origin = 'rule'`,
      values: [id, next.occurrenceAt],
    });
    if (rowCount === 0) return next;
    next = momentAfter({ key, timing, plan }, next.occurrenceAt);
  }
  return next;
}

/** What the old rule named until now is accounted for: the new one names nothing before the edit. Answers how many runs that makes. */
async function settleOverdue(
  tx: Transaction,
  schedule: LockedSchedule,
  { next, plan, version }: Pick<Edit, 'next' | 'plan'> & { version: number },
): Promise<number> {
  const { status, occurrenceAt, nowAt } = schedule;
  if (next?.occurrenceAt === occurrenceAt) return 0;
  if (status === 'active') return queueOverdue(tx, schedule, { plan, version });
  const passed = status === 'paused' ? (passedInPause(schedule, nowAt) ?? overtakenByEdit(schedule)) : null;
  if (passed) await recordPassed(tx, schedule, passed, nowAt);
  return 0;
}

/** What the old rule had named and jitter or a reschedule had put off: the new rule knows nothing of it. */
function overtakenByEdit({ timing, occurrenceAt, nowAt }: LockedSchedule): Stretch | null {
  if (occurrenceAt === null || occurrenceAt > nowAt) return null;
  const reason = 'it had been put off, and the schedule was edited before its time came';
  return stretchFrom(timing, { fromAt: occurrenceAt, untilAt: nowAt, reasonCode: 'overtaken', reason });
}

/** More than this are not caught up with one by one. */
const MOST_QUEUED = 1_000;
const runOnce = (due: DueSchedule): DueSchedule => ({
  ...due,
  plan: { ...due.plan, misfire: { ...due.plan.misfire, policy: 'once', graceMs: -1 } },
});

/**
 * What had fallen due when the edit came, and was not claimed yet, is run all the same, under the new definition: it was
 * named while the old rule held, and the new one names nothing before it. Answers how many runs that makes.
 */
async function queueOverdue(
  tx: Transaction,
  schedule: LockedSchedule,
  { version, plan }: { version: number; plan: Plan },
): Promise<number> {
  const { occurrenceAt, dueAt, nowAt } = schedule;
  let pending = occurrenceAt === null || dueAt === null ? null : { occurrenceAt, dueAt };
  let runs = 0;
  while (pending && pending.dueAt <= nowAt) {
    const due = { ...schedule, ...pending, runsTotal: schedule.runsTotal + runs };
    const decision = runs < MOST_QUEUED ? decideDue(due, nowAt) : decideDue(runOnce(due), nowAt);
    if (decision.kind === 'broken') break;
    if (decision.passed) await recordPassed(tx, schedule, decision.passed, nowAt);
    if (decision.run) {
      const state = { status: 'queued', nextAttemptAt: isCounted(plan) ? null : nowAt } as const;
      const { id: scheduleId, projectId } = schedule;
      const run = {
        scheduleId,
        projectId,
        definitionVersion: version,
        origin: 'rule',
        ...decision.run,
        state,
      } as const;
      await insertRun(tx, run, nowAt);
      runs++;
    }
    pending = decision.next;
  }
  const overtaken = pending && overtakenByEdit({ ...schedule, ...pending });
  if (overtaken) await recordPassed(tx, schedule, overtaken, nowAt);
  if (isCounted(plan)) await promoteLocked(tx, { ...schedule, plan });
  return runs;
}
