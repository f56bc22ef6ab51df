import { createHash, randomBytes } from 'node:crypto';
import type { ProjectLimits, Target } from '@carillon/shared';
import { and, desc, eq, isNull, lt, ne } from 'drizzle-orm';
import { type Database, inTransaction } from '../database.js';
import { NOW } from '../schema/columns.js';
import { apiKeys, projects } from '../schema/tenancy.js';
import { statement } from '../statement.js';
import { recordAudit } from './audit.js';
import { orm } from './orm.js';
import { readDefaultProject } from './projects.js';

export type Scope = 'read' | 'write' | 'admin';

/** The holder of an API key, and the settings of their project. */
export interface KeyOwner {
  keyId: number;
  keyName: string;
  projectId: number;
  projectKey: string;
  scopes: Scope[];
  defaultTarget: Target | null;
  limits: ProjectLimits;
  /** When the session ends, if the holder signed in by browser. */
  sessionExpiresAt?: number;
}

export interface KeyView {
  id: number;
  name: string;
  project: string;
  prefix: string;
  scopes: Scope[];
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

const hashOf = (key: string) => createHash('sha256').update(key).digest();

const find = statement<{ hash: Buffer }, KeyOwner>(
  'find-key',
  `select k.id as "keyId", k.name as "keyName", k.project_id as "projectId", p.key as "projectKey", k.scopes,
          p.default_target as "defaultTarget", p.limits
   from carillon.api_keys k join carillon.projects p on p.id = k.project_id
   where k.hash = :hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`,
);

/** Finds the owner of a key. Null if the key is unknown, revoked or expired. */
export async function findKey(db: Database, key: string): Promise<KeyOwner | null> {
  const [owner] = await find(db, { hash: hashOf(key) });
  return owner ?? null;
}

/**
 * Maximum number of keys, and of sessions, whose hashes `readIssuedSecrets` keeps in memory. 100,000 hashes take some
 * 15 MB.
 */
const MAX_CHECKED = 100_000;

const readHashes = statement<object, { hash: string }>(
  'read-credential-hashes',
  `select encode(hash, 'base64') as hash from (
     (select hash from carillon.api_keys where revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
      limit ${MAX_CHECKED})
     union all
     (select hash from carillon.sessions where expires_at > clock_timestamp() limit ${MAX_CHECKED})
   ) as issued`,
);

/**
 * Reads the hashes of all valid keys and sessions. Returns a function that checks, without a query, whether a secret
 * belongs to one of them.
 */
export async function readIssuedSecrets(db: Database): Promise<(secret: string) => boolean> {
  const hashes = new Set((await readHashes(db, {})).map(({ hash }) => hash));
  return (secret) => hashes.has(hashOf(secret).toString('base64'));
}

const ENVIRONMENT = 'CARILLON_ADMIN_KEY';

/**
 * Thrown if this process has generated an admin key, but the database has an admin key of another installation already.
 */
export class WrongAdminKey extends Error {
  constructor() {
    super(
      'Another installation has set the admin key of this database, and this one has generated a key of its own: set CARILLON_ADMIN_KEY to the key of the first installation (admin.key in its CARILLON_HOME)',
    );
  }
}

/**
 * Makes sure that the admin key from the environment works, as a key of the default project. The key that the variable
 * held before is revoked. Throws `WrongAdminKey` if a generated key would replace another key, because that would lock
 * out the installation that has set the other key. Returns false if a person has revoked this key, which then stays
 * revoked.
 */
export function ensureAdminKey(
  db: Database,
  key: string,
  { isGenerated = false }: { isGenerated?: boolean } = {},
): Promise<boolean> {
  const hash = hashOf(key);
  return inTransaction(db, async (tx) => {
    const { id: projectId } = await readDefaultProject(tx);
    await orm(tx)
      .insert(apiKeys)
      .values({
        projectId,
        name: 'admin',
        prefix: shownPartOf(key),
        hash,
        scopes: ['read', 'write', 'admin'],
        isFromEnvironment: true,
      })
      .onConflictDoNothing({ target: apiKeys.hash });
    const replaced = await orm(tx)
      .update(apiKeys)
      .set({ revokedAt: NOW })
      .where(and(eq(apiKeys.isFromEnvironment, true), isNull(apiKeys.revokedAt), ne(apiKeys.hash, hash)))
      .returning({ id: apiKeys.id, name: apiKeys.name });
    if (isGenerated && replaced.length > 0) throw new WrongAdminKey();
    for (const { id, name } of replaced)
      await recordAudit(tx, {
        projectId,
        key: String(id),
        actor: ENVIRONMENT,
        action: 'key.revoked',
        detail: { name },
      });
    const [current] = await orm(tx)
      .select({ revokedAt: apiKeys.revokedAt })
      .from(apiKeys)
      .where(eq(apiKeys.hash, hash));
    return current?.revokedAt === null;
  });
}

const PREFIX = 'ck_';
/**
 * Number of characters of a key that are stored in clear text, so that people can tell their keys apart. At most a
 * quarter of a key is stored.
 */
const SHOWN_LENGTH = PREFIX.length + 6;
const shownPartOf = (key: string) => key.slice(0, Math.min(SHOWN_LENGTH, Math.floor(key.length / 4)));

export interface KeyDraft {
  name: string;
  scopes: readonly Scope[];
  expiresAt: number | null;
}

/** Creates a key with 256 random bits. Only this result holds the key itself. Null if there is no such project. */
export function createKey(
  db: Database,
  { project, draft, actor }: { project: string; draft: KeyDraft; actor: string },
): Promise<{ key: string; view: KeyView } | null> {
  const key = PREFIX + randomBytes(32).toString('base64url');
  const { name, expiresAt } = draft;
  const scopes = [...new Set(draft.scopes)];
  return inTransaction(db, async (tx) => {
    const [owner] = await orm(tx).select({ id: projects.id }).from(projects).where(eq(projects.key, project));
    if (!owner) return null;
    const [made] = await orm(tx)
      .insert(apiKeys)
      .values({
        projectId: owner.id,
        name,
        prefix: shownPartOf(key),
        hash: hashOf(key),
        scopes,
        expiresAt,
      })
      .returning({ id: apiKeys.id });
    const { id } = made as { id: number };
    const detail = { name, scopes };
    await recordAudit(tx, { projectId: owner.id, key: String(id), actor, action: 'key.created', detail });
    const [view] = await selectKeys(tx).where(eq(apiKeys.id, id));
    return { key, view: view as KeyView };
  });
}

/** Lists the keys of a project, newest first. */
export async function listKeys(
  db: Database,
  { projectId, limit, beforeId }: { projectId: number; limit: number; beforeId: number | null },
): Promise<KeyView[]> {
  const isBefore = beforeId === null ? undefined : lt(apiKeys.id, beforeId);
  const keys = await selectKeys(db)
    .where(and(eq(apiKeys.projectId, projectId), isBefore))
    .orderBy(desc(apiKeys.id))
    .limit(limit);
  return keys as KeyView[];
}

const VIEW = {
  id: apiKeys.id,
  name: apiKeys.name,
  project: projects.key,
  prefix: apiKeys.prefix,
  scopes: apiKeys.scopes,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  lastUsedAt: apiKeys.lastUsedAt,
  revokedAt: apiKeys.revokedAt,
};

const selectKeys = (db: Database) =>
  orm(db).select(VIEW).from(apiKeys).innerJoin(projects, eq(projects.id, apiKeys.projectId));

/** Revokes a key. Null if the project has no such key. Revoking it again changes nothing. */
export function revokeKey(
  db: Database,
  { projectId, id, actor }: { projectId: number; id: number; actor: string },
): Promise<KeyView | null> {
  const isKey = and(eq(apiKeys.projectId, projectId), eq(apiKeys.id, id));
  return inTransaction(db, async (tx) => {
    const [revoked] = await orm(tx)
      .update(apiKeys)
      .set({ revokedAt: NOW })
      .where(and(isKey, isNull(apiKeys.revokedAt)))
      .returning({ name: apiKeys.name });
    if (revoked)
      await recordAudit(tx, { projectId, key: String(id), actor, action: 'key.revoked', detail: revoked });
    const [view] = await selectKeys(tx).where(isKey);
    return (view as KeyView | undefined) ?? null;
  });
}

const touch = statement<{ ids: readonly number[] }>(
  'touch-keys',
  'update carillon.api_keys set last_used_at = clock_timestamp() where id = any(:ids)',
);

/** Records that these keys were used just now, in one statement for all of them. */
export async function touchKeys(db: Database, ids: readonly number[]): Promise<void> {
  await touch(db, { ids });
}
