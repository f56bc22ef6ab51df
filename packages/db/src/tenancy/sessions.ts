import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../database.js';
import { statement } from '../statement.js';
import type { KeyOwner } from './keys.js';

const hashOf = (token: string) => createHash('sha256').update(token).digest();

/** Maximum number of sessions that one key may have at once. A further session ends the oldest. */
const MAX_SESSIONS_PER_KEY = 100;

interface NewSession {
  hash: Buffer;
  projectId: number;
  keyId: number;
  ttlSeconds: number;
}

const insert = statement<NewSession, { expiresAt: number }>(
  'create-session',
  `with crowded as (
     delete from carillon.sessions where hash in (
       select hash from carillon.sessions where key_id = :keyId order by created_at desc
       offset ${MAX_SESSIONS_PER_KEY - 1}
     )
   )
   insert into carillon.sessions (hash, project_id, key_id, expires_at)
   values (:hash, :projectId, :keyId, clock_timestamp() + :ttlSeconds * interval '1 second')
   returning expires_at as "expiresAt"`,
);

/** Starts a session on behalf of a key. Only this result holds the token: 256 random bits, stored as a hash. */
export async function createSession(
  db: Database,
  { keyId, projectId, ttlSeconds }: Pick<KeyOwner, 'keyId' | 'projectId'> & { ttlSeconds: number },
): Promise<{ token: string; expiresAt: number }> {
  const token = randomBytes(32).toString('base64url');
  const [made] = await insert(db, { hash: hashOf(token), keyId, projectId, ttlSeconds });
  return { token, expiresAt: (made as { expiresAt: number }).expiresAt };
}

const find = statement<{ hash: Buffer }, KeyOwner & { sessionExpiresAt: number }>(
  'find-session',
  `select k.id as "keyId", k.name as "keyName", k.project_id as "projectId", p.key as "projectKey", k.scopes,
          p.default_target as "defaultTarget", p.limits, s.expires_at as "sessionExpiresAt"
   from carillon.sessions s
   join carillon.api_keys k on k.id = s.key_id and k.project_id = s.project_id
   join carillon.projects p on p.id = s.project_id
   where s.hash = :hash and s.expires_at > clock_timestamp()
     and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`,
);

/** Finds the owner of a session. Null if the session is unknown or over, or if its key is revoked or expired. */
export async function findSession(db: Database, token: string): Promise<KeyOwner | null> {
  const [owner] = await find(db, { hash: hashOf(token) });
  return owner ?? null;
}

const remove = statement<{ hash: Buffer }>('end-session', 'delete from carillon.sessions where hash = :hash');

export async function endSession(db: Database, token: string): Promise<void> {
  await remove(db, { hash: hashOf(token) });
}

const removeAll = statement<{ projectId: number; keyId: number }, { ended: number }>(
  'end-sessions',
  `with ended as (
     delete from carillon.sessions where project_id = :projectId and key_id = :keyId
     returning expires_at > clock_timestamp() as was_valid
   )
   select count(*) filter (where was_valid) as ended from ended`,
);

/** Ends every session of a key; returns how many of them were valid. */
export async function endSessions(
  db: Database,
  { projectId, keyId }: Pick<KeyOwner, 'projectId' | 'keyId'>,
): Promise<number> {
  const [row] = await removeAll(db, { projectId, keyId });
  return row?.ended ?? 0;
}
