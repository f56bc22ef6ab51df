import {
  type DueOccurrence,
  dueOccurrenceAfter,
  encodeRunId,
  isCounted,
  nextAfterEdit,
  type ProjectLimits,
  storePlan,
  storeTiming,
} from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { instant } from '../instants.js';
import { readInFlight } from '../runs/read-in-flight.js';
import { statement, type Values } from '../statement.js';
import { managedByDetail, recordAudit } from '../tenancy/audit.js';
import { replaceSecret } from '../tenancy/secrets.js';
import { leaveAgenda, writeAgenda } from './agenda.js';
import { ChangeRefused, type ChangeRequest, type ChangeResult, changeSchedule } from './change-schedule.js';
import { type DefinitionFields, requireRoom } from './create-schedules.js';
import type { LockedSchedule } from './locked-schedule.js';
import { promoteLocked } from './promote-queued.js';
import { queueOrSkipOverdue } from './queue-or-skip-overdue.js';
import { canTake, REVIVE } from './schedule-transitions.js';
import { skipWhileStopped } from './skip-while-stopped.js';

/** A new definition for a schedule. */
export interface Definition extends DefinitionFields {
  /** Null removes the schedule's own secret; undefined keeps the secret that it has. */
  sealedSecret?: Buffer | null;
  /**
   * Hash of the declaration in the client's code from which this definition was made. The next deploy compares this
   * hash with that of its own declaration, to see whether the declaration has changed. Null or undefined keeps the
   * stored hash.
   */
  declaredHash?: string | null;
}

export interface EditResult {
  version: number;
  /** Runs in flight, which keep the definition that they began with. */
  inFlight: string[];
}

/** Replaces the definition of a schedule. The next occurrence is computed while the schedule is locked. */
export function editSchedule(
  db: Database,
  request: ChangeRequest,
  definition: Definition,
): Promise<ChangeResult<EditResult>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    if (!canTake('edit', schedule.status)) throw new ChangeRefused("it is cancelled and can't be edited");
    const settled = await withSettledOccurrences(tx, schedule, definition);
    const next = nextAfterEdit(schedule, settled);
    await skipWhileStopped(tx, schedule, next);
    const edited = await writeDefinition(tx, schedule, { definition: settled, next, actor: request.actor });
    const detail = managedByDetail(definition.tags, edited);
    return { value: edited, audit: { action: 'schedule.edited', detail } };
  });
}

/**
 * Replaces the definition like an edit, and revives a cancelled schedule: it becomes active again and counts its runs
 * from zero. `requestHash` is stored, so that a later create with the same body counts as a repeat.
 */
export function replaceSchedule(
  db: Database,
  request: ChangeRequest,
  { requestHash, limits, ...definition }: Definition & { requestHash: string; limits: ProjectLimits },
): Promise<ChangeResult<EditResult>> {
  return changeSchedule(db, request, async (tx, locked) => {
    const isRevived = canTake('revive', locked.status);
    if (isRevived) await requireRoom(tx, locked.projectId, limits);
    const schedule: LockedSchedule = isRevived ? { ...locked, status: 'active', runsTotal: 0 } : locked;
    const settled = await withSettledOccurrences(tx, schedule, definition);
    const next = isRevived ? firstAfterRevival(schedule, settled) : nextAfterEdit(schedule, settled);
    if (isRevived) await skipWhileStopped(tx, locked, next);
    if (isRevived) await setActive(tx, { id: schedule.id });
    const edited = await writeDefinition(tx, schedule, { definition: settled, next, actor: request.actor });
    await setRequestHash(tx, { id: schedule.id, requestHash });
    const detail = managedByDetail(definition.tags, { ...edited, isRevived });
    return { value: edited, audit: { action: 'schedule.replaced', detail } };
  });
}

const setActive = statement<{ id: number }>(
  'revive-schedule',
  `update carillon.schedules set ${REVIVE} where id = :id`,
);
const setRequestHash = statement<{ id: number; requestHash: string }>(
  'set-request-hash',
  'update carillon.schedules set request_hash = :requestHash where id = :id',
);

/**
 * The first occurrence of a cancelled schedule that is revived. The instant of an `at` rule counts even if it is past:
 * the misfire policy decides whether it runs. Every other rule starts from now.
 */
function firstAfterRevival(
  { key, nowAt }: LockedSchedule,
  { timing, plan }: Pick<Definition, 'timing' | 'plan'>,
): DueOccurrence | null {
  const afterAt = timing.rule.kind === 'at' ? timing.rule.at - 1 : nowAt;
  return dueOccurrenceAfter({ key, timing, plan }, afterAt);
}

/** Edits a schedule for a caller that holds its lock and has computed its next occurrence. Writes the audit entry. */
export async function redefineLocked(
  tx: Transaction,
  schedule: LockedSchedule,
  { definition, next, actor }: { definition: Definition; next: DueOccurrence | null; actor: string },
): Promise<EditResult & { dueAts: number[] }> {
  const settled = await withSettledOccurrences(tx, schedule, definition);
  const isSettled = next !== null && settled.timing.settledAts.includes(next.occurrenceAt);
  const free = isSettled ? dueOccurrenceAfter({ key: schedule.key, ...settled }, next.occurrenceAt) : next;
  const edited = await writeDefinition(tx, schedule, { definition: settled, next: free, actor });
  await recordAudit(tx, {
    ...schedule,
    actor,
    action: 'schedule.edited',
    detail: managedByDetail(schedule.tags, edited),
    now: schedule.nowAt,
  });
  return { ...edited, dueAts: free && schedule.status !== 'paused' ? [free.dueAt] : [schedule.nowAt] };
}

const selectSettled = statement<{ id: number; fromAt: number }, { at: number }>(
  'read-settled-occurrences',
  `select occurrence_at as at from carillon.runs
   where schedule_id = :id and origin = 'rule' and occurrence_at >= ${instant(':fromAt')}
   order by occurrence_at limit 1000`,
);

/**
 * Adds to the timing the instants that already have a run, for example because a person skipped an occurrence or
 * brought it forward. The new rule leaves these instants out, so that no occurrence runs twice.
 */
async function withSettledOccurrences(
  tx: Transaction,
  { id, nowAt }: LockedSchedule,
  definition: Definition,
): Promise<Definition> {
  const { rule } = definition.timing;
  const fromAt = rule.kind === 'at' ? Math.min(rule.at, nowAt) : nowAt;
  const settledAts = (await selectSettled(tx, { id, fromAt })).map(({ at }) => at);
  return { ...definition, timing: { ...definition.timing, settledAts } };
}

/**
 * Keeps an occurrence from running twice if the old and the new rule name the same past instant. The edit has already
 * recorded runs for the overdue occurrences of the old rule. If one of these runs is for the first instant of the new
 * rule, the schedule begins after that instant.
 */
async function passOverSettled(
  tx: Transaction,
  { id, key, nowAt }: LockedSchedule,
  { timing, plan }: Pick<Definition, 'timing' | 'plan'>,
  next: DueOccurrence | null,
): Promise<DueOccurrence | null> {
  if (next === null || next.occurrenceAt > nowAt) return next;
  const settledAts = (await selectSettled(tx, { id, fromAt: next.occurrenceAt })).map(({ at }) => at);
  if (!settledAts.includes(next.occurrenceAt)) return next;
  return dueOccurrenceAfter({ key, timing: { ...timing, settledAts }, plan }, next.occurrenceAt);
}

const archiveDefinition = statement<{ id: number; now: number }>(
  'archive-definition',
  `insert into carillon.schedule_versions (schedule_id, version, project_id, name, tags, target_type, rule, timing, plan, payload,
                                           defined_at, defined_by, superseded_at)
   select id, definition_version, project_id, name, tags, target_type, rule, timing, plan, payload, defined_at, defined_by,
          ${instant(':now')}
   from carillon.schedules where id = :id`,
);

/**
 * If the schedule is on the agenda after the edit, its agenda row holds its totals. So the totals in `schedules` are
 * then cleared.
 */
const replaceDefinition = statement<Values>(
  'replace-definition',
  `update carillon.schedules
   set version = :version, definition_version = :version, name = :name, tags = :tags, target_type = :targetType, rule = :rule,
       timing = :timing, plan = :plan, payload = :payload, is_counted = :isCounted, defined_at = ${instant(':now')},
       defined_by = :actor, declared_hash = coalesce(:declaredHash, declared_hash), updated_at = ${instant(':now')},
       runs_total = case when :isPlanned::boolean then null else runs_total end,
       last_run_at = case when :isPlanned::boolean then null else last_run_at end,
       last_claimed_at = case when :isPlanned::boolean then null else last_claimed_at end
   where id = :id`,
);

/**
 * Stores the new definition, archives the old one, and sets the next occurrence. Overdue occurrences of the old rule
 * are queued or recorded as skipped.
 */
async function writeDefinition(
  tx: Transaction,
  schedule: LockedSchedule,
  { definition, next: named, actor }: { definition: Definition; next: DueOccurrence | null; actor: string },
): Promise<EditResult> {
  const { id, projectId, nowAt } = schedule;
  const { sealedSecret } = definition;
  if (sealedSecret !== undefined) await replaceSecret(tx, { projectId, scheduleId: id }, sealedSecret);
  const hasSecret = sealedSecret === undefined ? schedule.plan.hasSecret : sealedSecret !== null;
  const plan = { ...definition.plan, hasSecret };
  const version = schedule.version + 1;
  const runsAdded = await queueOrSkipOverdue(tx, schedule, { next: named, plan, version });
  const next = await passOverSettled(tx, schedule, { timing: definition.timing, plan }, named);
  await archiveDefinition(tx, { id, now: nowAt });
  await replaceDefinition(tx, {
    id,
    now: nowAt,
    version,
    actor,
    name: definition.name,
    tags: definition.tags,
    targetType: plan.target.type,
    rule: JSON.stringify(definition.rule),
    timing: storeTiming(definition.timing),
    plan: storePlan(plan),
    payload: definition.payload,
    isCounted: isCounted(plan),
    declaredHash: definition.declaredHash ?? null,
    isPlanned: next !== null,
  });
  await placeNext(tx, { ...schedule, plan }, { next, version, runsAdded });
  // Queued runs may start now, because the new policies may allow more concurrent runs than the old ones, or set no
  // limit.
  const mayPromote = schedule.status !== 'paused' && (schedule.isCounted || isCounted(plan));
  if (mayPromote) await promoteLocked(tx, [{ ...schedule, plan }]);
  return { version, inFlight: (await readInFlight(tx, id)).map(encodeRunId) };
}

async function placeNext(
  tx: Transaction,
  schedule: LockedSchedule,
  { next, version, runsAdded }: { next: DueOccurrence | null; version: number; runsAdded: number },
): Promise<void> {
  const { id: scheduleId, status } = schedule;
  if (!next) return leaveAgenda(tx, { scheduleIds: [scheduleId], runsAdded });
  const runsTotal = schedule.runsTotal + runsAdded;
  await writeAgenda(tx, { ...schedule, scheduleId, version, next, isHeld: status === 'paused', runsTotal });
}
