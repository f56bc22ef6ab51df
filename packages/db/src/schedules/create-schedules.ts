import type { DueOccurrence, Plan, ProjectLimits, Timing } from '@carillon/shared';
import { handlerOf, isCounted, storePlan, storeTiming } from '@carillon/shared';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { instant } from '../instants.js';
import { statement } from '../statement.js';
import { managedByDetail } from '../tenancy/audit.js';

/** The validated fields that a client gives when it creates or edits a schedule. */
export interface DefinitionFields {
  name: string | null;
  tags: string[];
  /** The rule as the client gave it. */
  rule: unknown;
  timing: Timing;
  plan: Plan;
  /** JSON text. */
  payload: string | null;
}

/** A schedule that has been validated and is ready to be stored. */
export interface Draft extends DefinitionFields {
  key: string;
  first: DueOccurrence;
  /**
   * The instant after which the first occurrence was computed. An API estimates Postgres's clock, so this instant may
   * be some milliseconds ahead of it. The schedule then counts as created at this instant. If it counted as created
   * earlier, an occurrence between the two instants would count as missing.
   */
  draftedAt: number;
  requestHash: string;
  /** The schedule's own secret, encrypted by `SecretBox`. Without one, the project's secret signs the deliveries. */
  sealedSecret?: Buffer | null;
}

export type CreateResult =
  | { kind: 'created'; id: number; createdAt: number }
  | { kind: 'same' }
  | { kind: 'conflict' }
  /**
   * The id belongs to a cancelled schedule. The result is not `same` even if the definition is the same, because a
   * repeated create must not look like a success.
   */
  | { kind: 'cancelled' }
  | { kind: 'over_limit' };

export interface CreateRequest {
  projectId: number;
  drafts: readonly Draft[];
  actor: string;
}

/** Thrown if a create would exceed the project's limit of schedules. */
export class OverLimit extends Error {
  constructor({ schedules }: ProjectLimits) {
    super(
      `the project has reached its limit of ${schedules} schedules; cancel some, or ask an admin to raise the limit`,
    );
  }
}

/**
 * Creates any number of schedules in one statement: rows, agenda, secrets and audit entries are written together or not
 * at all. The drafts are sent as one JSON text, because a payload must arrive exactly as the client wrote it.
 */
const insertAll = statement<
  { projectId: number; actor: string; drafts: string },
  { id: number; key: string; createdAt: number }
>(
  'create-schedules',
  `with draft as (
     select * from json_to_recordset(:drafts::json)
       as draft(key text, name text, tags text[], target_type text, rule json, timing text, plan text, payload json,
                occurrence_at bigint, due_at bigint, drafted_at bigint, handler text, is_counted boolean, request_hash text, declared_hash text, secret bytea,
                audit_detail json)
   ), created as (
     insert into carillon.schedules (project_id, key, name, tags, target_type, rule, timing, plan, payload, defined_by,
                                     is_counted, request_hash, declared_hash, created_at, updated_at, defined_at)
     select :projectId, key, name, tags, target_type, rule, timing, plan, payload, :actor, is_counted, request_hash,
            declared_hash, from_at, from_at, from_at
     from draft, greatest(statement_timestamp(), ${instant('draft.drafted_at')}) as from_at
     on conflict (project_id, key) do nothing
     returning id, key, created_at
   ), planned as (
     insert into carillon.agenda (schedule_id, project_id, occurrence_at, due_at, handler)
     select created.id, :projectId, ${instant('draft.occurrence_at')}, ${instant('draft.due_at')}, draft.handler
     from created join draft using (key)
   ), signed as (
     insert into carillon.webhook_secrets (project_id, schedule_id, sealed)
     select :projectId, created.id, draft.secret from created join draft using (key) where draft.secret is not null
   ), audited as (
     insert into carillon.audit_log (project_id, actor, action, subject, detail)
     select :projectId, :actor, 'schedule.created', key, draft.audit_detail from created join draft using (key)
   )
   select id, key, created_at as "createdAt" from created`,
);

/**
 * Creates schedules as far as the project's limit allows; returns a result for each draft, in order. If two drafts of a
 * call have the same key, the first one is created.
 */
export async function createSchedules(
  db: Database,
  { limits, ...creation }: CreateRequest & { limits?: ProjectLimits },
): Promise<CreateResult[]> {
  const maximum = limits?.schedules ?? null;
  if (maximum === null) return create(db, creation);
  return inTransaction(db, async (tx) => {
    const beyond = await keysBeyondLimit(tx, creation, maximum);
    const drafts = creation.drafts.filter(({ key }) => !beyond.has(key));
    const created = (await create(tx, { ...creation, drafts })).values();
    return creation.drafts.map(({ key }) =>
      beyond.has(key) ? { kind: 'over_limit' } : (created.next().value as CreateResult),
    );
  });
}

const lockProject = statement<{ projectId: number }>(
  'lock-project',
  'select from carillon.projects where id = :projectId for no key update',
);

const selectKnownKeys = statement<
  { projectId: number; keys: readonly string[] },
  { key: string; requestHash: string; isCancelled: boolean }
>(
  'read-request-hashes',
  `select key, request_hash as "requestHash", status = 'cancelled' as "isCancelled" from carillon.schedules where project_id = :projectId and key = any(:keys)`,
);

/**
 * Returns the keys that would exceed the project's limit of schedules. A schedule that exists already does not count
 * again. The project's row stays locked, so that a concurrent request waits and then counts the schedules that this
 * request has created.
 */
async function keysBeyondLimit(
  tx: Transaction,
  { projectId, drafts }: CreateRequest,
  maximum: number,
): Promise<Set<string>> {
  await lockProject(tx, { projectId });
  const keys = new Set(drafts.map(({ key }) => key));
  for (const { key } of await selectKnownKeys(tx, { projectId, keys: [...keys] })) keys.delete(key);
  const [live] = await countLive(tx, { projectId, maximum });
  return new Set([...keys].slice(Math.max(0, maximum - (live?.count ?? 0))));
}

/** Counts the active and paused schedules of a project, up to `maximum`. */
const countLive = statement<{ projectId: number; maximum: number }, { count: number }>(
  'count-live-schedules',
  `select count(*) as count from (
     (select from carillon.agenda where project_id = :projectId and not is_held limit :maximum)
     union all
     (select from carillon.stopped_schedules where project_id = :projectId and status = 'paused' limit :maximum)
   ) as live`,
);

/**
 * Throws `OverLimit` if one more schedule would exceed the project's limit. The project's row stays locked until the
 * transaction ends, so that no concurrent create exceeds the limit either.
 */
export async function requireRoom(tx: Transaction, projectId: number, limits: ProjectLimits): Promise<void> {
  const maximum = limits.schedules ?? null;
  if (maximum === null) return;
  await lockProject(tx, { projectId });
  const [live] = await countLive(tx, { projectId, maximum });
  if ((live?.count ?? 0) >= maximum) throw new OverLimit(limits);
}

async function create(db: Database, { projectId, drafts, actor }: CreateRequest): Promise<CreateResult[]> {
  const unique = new Map<string, Draft>();
  for (const draft of drafts) if (!unique.has(draft.key)) unique.set(draft.key, draft);
  // The drafts are inserted in the order of their keys, so that two calls with the same keys wait for each other
  // instead of deadlocking.
  const sorted = [...unique.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  const records = sorted.map((draft) => toRecord(draft, actor));
  const rows = await insertAll(db, { projectId, actor, drafts: `[${records.join()}]` });
  const created = new Map(rows.map((row) => [row.key, row]));
  const others = drafts.filter((draft) => !created.has(draft.key) || unique.get(draft.key) !== draft);
  const known =
    others.length > 0 ? await selectKnownKeys(db, { projectId, keys: others.map(({ key }) => key) }) : [];
  const knownByKey = new Map(known.map((row) => [row.key, row]));
  return drafts.map((draft) => {
    const row = unique.get(draft.key) === draft ? created.get(draft.key) : undefined;
    if (row) return { kind: 'created', id: row.id, createdAt: row.createdAt };
    const existing = knownByKey.get(draft.key);
    if (existing?.isCancelled) return { kind: 'cancelled' };
    return existing?.requestHash === draft.requestHash ? { kind: 'same' } : { kind: 'conflict' };
  });
}

/**
 * The draft as JSON text. The payload is inserted without parsing and printing it, so that it stays as the client wrote
 * it.
 */
function toRecord(draft: Draft, actor: string): string {
  const record = JSON.stringify({
    key: draft.key,
    name: draft.name,
    tags: draft.tags,
    target_type: draft.plan.target.type,
    rule: draft.rule,
    timing: storeTiming(draft.timing),
    plan: storePlan(draft.plan),
    occurrence_at: draft.first.occurrenceAt,
    due_at: draft.first.dueAt,
    drafted_at: draft.draftedAt,
    handler: handlerOf(draft.plan),
    is_counted: isCounted(draft.plan),
    request_hash: draft.requestHash,
    declared_hash: actor === CODE_ACTOR ? draft.requestHash : null,
    audit_detail: managedByDetail(draft.tags),
    secret: draft.sealedSecret ? `\\x${draft.sealedSecret.toString('hex')}` : null,
  });
  return `${record.slice(0, -1)},"payload":${draft.payload ?? 'null'}}`;
}

/** The actor that the audit log names for schedules that are declared in code. */
export const CODE_ACTOR = 'code';
