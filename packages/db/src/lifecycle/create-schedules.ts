import type { Moment, Plan, ProjectLimits, Timing } from '@carillon/shared';
import { isCounted, storePlan, storeTiming } from '@carillon/shared';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { fromMs } from '../sql-text.js';

/** A schedule that has been validated and is ready to be written. */
export interface Draft {
  key: string;
  name: string | null;
  tags: string[];
  /** The rule as the client gave it. */
  rule: unknown;
  timing: Timing;
  plan: Plan;
  /** JSON text. */
  payload: string | null;
  first: Moment;
  requestHash: string;
  /** What its deliveries are signed with, sealed by `SecretBox`; where there is none, its project's is used. */
  sealedSecret?: Buffer | null;
}

export type Created =
  | { kind: 'created'; id: number; createdAt: Date }
  | { kind: 'same' }
  | { kind: 'conflict' }
  | { kind: 'over_limit' };

export interface Creation {
  projectId: number;
  drafts: readonly Draft[];
  actor: string;
}

/** The project has as many schedules as it may. */
export class OverLimit extends Error {
  constructor({ schedules }: ProjectLimits) {
    super(`the project has its ${schedules} schedules; cancel some, or have its limit raised`);
  }
}

/**
 * One statement for any number: rows, their definitions and the audit entry stand or fall together. What tells whether a key is
 * taken is its definition, for that is there for ever.
 */
const CREATE_SCHEDULES = `
  with input as (
    select * from json_to_recordset($2::json)
      as input(key text, name text, tags text[], target_type text, rule json, timing text, plan text, payload json,
               occurrence_at bigint, due_at bigint, counted boolean, request_hash text, secret bytea)
  ), defined as (
    insert into schedule_versions (schedule_id, version, project_id, key, name, tags, target_type, rule, timing, plan,
                                   payload, created_by, request_hash)
    select nextval('schedules_id_seq'), 1, $1, key, name, tags, target_type, rule, timing, plan, payload, $3, request_hash
    from input
    on conflict (project_id, key) where superseded_at is null do nothing
    returning schedule_id, key
  ), made as (
    insert into schedules (id, project_id, key, occurrence_at, next_run_at, counted)
    select defined.schedule_id, $1, key, ${fromMs('input.occurrence_at')}, ${fromMs('input.due_at')}, input.counted
    from defined join input using (key)
    returning id, key, created_at
  ), signed as (
    insert into webhook_secrets (project_id, schedule_id, sealed)
    select $1, made.id, input.secret from made join input using (key) where input.secret is not null
  ), audited as (
    insert into audit_log (project_id, actor, action, subject)
    select $1, $3, 'schedule.created', key from made
  )
  select id, key, created_at from made`;

/** Creates schedules, as far as the limits allow; answers for each draft, in order. Two drafts with one key in a call: the first one counts. */
export async function createSchedules(
  db: Database,
  { limits, ...creation }: Creation & { limits?: ProjectLimits },
): Promise<Created[]> {
  const most = limits?.schedules ?? null;
  if (most === null) return create(db, creation);
  return inTransaction(db, async (tx) => {
    const beyond = await keysBeyond(tx, creation, most);
    const drafts = creation.drafts.filter(({ key }) => !beyond.has(key));
    const created = (await create(tx, { ...creation, drafts })).values();
    return creation.drafts.map(({ key }) =>
      beyond.has(key) ? { kind: 'over_limit' } : (created.next().value as Created),
    );
  });
}

/**
 * Those for which there is no room; what is there already takes none. The project's row stays locked: of two requests at one
 * moment, the second counts what the first has made.
 */
async function keysBeyond(
  tx: Transaction,
  { projectId, drafts }: Creation,
  most: number,
): Promise<Set<string>> {
  await tx.query('select from projects where id = $1 for no key update', [projectId]);
  const keys = new Set(drafts.map(({ key }) => key));
  const { rows } = await tx.query<{ key: string }>(
    'select key from schedule_versions where project_id = $1 and key = any($2) and superseded_at is null',
    [projectId, [...keys]],
  );
  for (const { key } of rows) keys.delete(key);
  return new Set([...keys].slice(most - (await countLiveSchedules(tx, projectId, most))));
}

/** How many schedules of a project are active or paused, as far as `most`. */
async function countLiveSchedules(db: Database, projectId: number, most: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-live-schedules',
    text: `select least($2, count(*)) as count from (
             (select from schedules where project_id = $1 and status = 'active' and next_run_at is not null limit $2)
             union all
             -- The first condition is that of the index to use.
             (select from schedules where project_id = $1 and status in ('paused', 'cancelled') and status = 'paused' limit $2)
           ) as live`,
    values: [projectId, most],
  });
  return rows[0]?.count ?? 0;
}

async function create(db: Database, { projectId, drafts, actor }: Creation): Promise<Created[]> {
  const unique = new Map<string, Draft>();
  for (const draft of drafts) if (!unique.has(draft.key)) unique.set(draft.key, draft);
  // By their keys: of two calls with the same ones, one waits for the other, and not each for the other.
  const inOrder = [...unique.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  const { rows } = await db.query<{ id: number; key: string; created_at: Date }>({
    name: 'create-schedules',
    text: CREATE_SCHEDULES,
    values: [projectId, `[${inOrder.map(toRecord).join()}]`, actor],
  });
  const made = new Map(rows.map((row) => [row.key, row]));
  const others = drafts.filter((draft) => !made.has(draft.key) || unique.get(draft.key) !== draft);
  const hashes =
    others.length > 0 ? await readRequestHashes(db, projectId, others) : new Map<string, string>();
  return drafts.map((draft) => {
    const row = unique.get(draft.key) === draft ? made.get(draft.key) : undefined;
    if (row) return { kind: 'created', id: row.id, createdAt: row.created_at };
    return hashes.get(draft.key) === draft.requestHash ? { kind: 'same' } : { kind: 'conflict' };
  });
}

/** The payload goes in as the text that it is: no need to parse and print it again. */
function toRecord(draft: Draft): string {
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
    counted: isCounted(draft.plan),
    request_hash: draft.requestHash,
    secret: draft.sealedSecret ? `\\x${draft.sealedSecret.toString('hex')}` : null,
  });
  return `${record.slice(0, -1)},"payload":${draft.payload ?? 'null'}}`;
}

async function readRequestHashes(
  db: Database,
  projectId: number,
  drafts: readonly Draft[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ key: string; request_hash: string }>(
    `select v.key, first.request_hash
     from schedule_versions v join schedule_versions first on first.schedule_id = v.schedule_id and first.version = 1
     where v.project_id = $1 and v.key = any($2) and v.superseded_at is null`,
    [projectId, drafts.map((draft) => draft.key)],
  );
  return new Map(rows.map((row) => [row.key, row.request_hash]));
}
