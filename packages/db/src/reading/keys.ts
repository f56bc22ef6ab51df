import { createHash, randomBytes } from 'node:crypto';
import type { ProjectLimits, Target } from '@carillon/shared';
import type { Database } from '../database.js';

export type Scope = 'read' | 'write' | 'admin';

/** Who holds a key, and what their project says. */
export interface KeyOwner {
  keyId: number;
  keyName: string;
  projectId: number;
  projectKey: string;
  scopes: Scope[];
  defaultTarget: Target | null;
  limits: ProjectLimits;
}

export interface KeyView {
  id: number;
  name: string;
  project: string;
  prefix: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

const hashOf = (key: string) => createHash('sha256').update(key).digest();

/** Who holds this key; null for one that is unknown, revoked or expired. */
export async function findKey(db: Database, key: string): Promise<KeyOwner | null> {
  const { rows } = await db.query<KeyOwner>({
    name: 'find-key',
    text: `select k.id as "keyId", k.name as "keyName", k.project_id as "projectId", p.key as "projectKey", k.scopes,
                  p.default_target as "defaultTarget", p.limits
           from api_keys k join projects p on p.id = k.project_id
           where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`,
    values: [hashOf(key)],
  });
  return rows[0] ?? null;
}

/** Makes sure that the first admin key works. It belongs to the default project. */
export async function ensureAdminKey(db: Database, key: string): Promise<void> {
  await db.query(
    `insert into api_keys (project_id, name, prefix, hash, scopes)
     select id, 'admin', $1, $2, '{read,write,admin}' from projects where key = 'default'
     on conflict (hash) do nothing`,
    [key.slice(0, 8), hashOf(key)],
  );
}

const PREFIX = 'ck_';
const SHOWN = PREFIX.length + 6;

const COLUMNS = `k.id, k.name, p.key as project, k.prefix, k.scopes, k.created_at as "createdAt", k.expires_at as "expiresAt",
  k.last_used_at as "lastUsedAt", k.revoked_at as "revokedAt"`;

export interface KeyDraft {
  name: string;
  scopes: readonly Scope[];
  expiresAt: number | null;
}

/** Makes a key with 256 random bits. The key itself is in this answer and nowhere else; null without such a project. */
export async function createKey(
  db: Database,
  { project, draft, actor }: { project: string; draft: KeyDraft; actor: string },
): Promise<{ key: string; view: KeyView } | null> {
  const key = PREFIX + randomBytes(32).toString('base64url');
  const { rows } = await db.query<KeyView>(
    `with made as (
       insert into api_keys (project_id, name, prefix, hash, scopes, expires_at)
       select id, $2, $3, $4, $5, $6 from projects where key = $1 returning *
     ), audited as (
       insert into audit_log (project_id, actor, action, subject, detail)
       select project_id, $7, 'key.created', id::text, json_build_object('name', name, 'scopes', scopes) from made
     )
     select ${COLUMNS} from made k join projects p on p.id = k.project_id`,
    [
      project,
      draft.name,
      key.slice(0, SHOWN),
      hashOf(key),
      [...new Set(draft.scopes)],
      draft.expiresAt === null ? null : new Date(draft.expiresAt),
      actor,
    ],
  );
  return rows[0] ? { key, view: rows[0] } : null;
}

/** Newest first. */
export async function listKeys(
  db: Database,
  { projectId, limit, beforeId }: { projectId: number; limit: number; beforeId: number | null },
): Promise<KeyView[]> {
  const { rows } = await db.query<KeyView>(
    `select ${COLUMNS} from api_keys k join projects p on p.id = k.project_id
     where k.project_id = $1 and ($2::bigint is null or k.id < $2) order by k.id desc limit $3`,
    [projectId, beforeId, limit],
  );
  return rows;
}

/** Null where the project has no such key. Revoking twice is revoking once. */
export async function revokeKey(
  db: Database,
  { projectId, id, actor }: { projectId: number; id: number; actor: string },
): Promise<KeyView | null> {
  const { rows } = await db.query<KeyView>(
    `with revoked as (
       update api_keys set revoked_at = clock_timestamp() where project_id = $1 and id = $2 and revoked_at is null returning *
     ), audited as (
       insert into audit_log (project_id, actor, action, subject, detail)
       select project_id, $3, 'key.revoked', id::text, json_build_object('name', name) from revoked
     )
     select ${COLUMNS}
     from (select * from revoked union all
           select * from api_keys where project_id = $1 and id = $2 and revoked_at is not null) as k
     join projects p on p.id = k.project_id`,
    [projectId, id, actor],
  );
  return rows[0] ?? null;
}

/** Notes that these keys were used: to within a minute, in one statement for all of them. */
export async function touchKeys(db: Database, ids: readonly number[]): Promise<void> {
  await db.query({
    name: 'touch-keys',
    text: `update api_keys set last_used_at = clock_timestamp() where id = any($1)`,
    values: [ids],
  });
}
