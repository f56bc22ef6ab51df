import { createHash } from 'node:crypto';
import type { Database } from '../database.js';

export type Scope = 'read' | 'write' | 'admin';

export interface KeyOwner {
  keyId: number;
  keyName: string;
  projectId: number;
  scopes: Scope[];
  expiresAt: Date | null;
}

const hashOf = (key: string) => createHash('sha256').update(key).digest();

/** Who holds this key; null for one that is unknown, revoked or expired. */
export async function findKey(db: Database, key: string): Promise<KeyOwner | null> {
  const { rows } = await db.query<KeyOwner>({
    name: 'find-key',
    text: `select id as "keyId", name as "keyName", project_id as "projectId", scopes, expires_at as "expiresAt"
           from api_keys
           where hash = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`,
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
