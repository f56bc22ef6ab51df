import { createHash, randomBytes } from 'node:crypto';
import { type Database, inTransaction } from '../database.js';
import { statement } from '../statement.js';
import { recordAudit } from './audit.js';

/** The scope of an iCal feed: a schedule, the schedules with a tag, or, if both are null, all of the project. */
export interface FeedScope {
  scheduleKey: string | null;
  tag: string | null;
}

export interface FeedView extends FeedScope {
  id: number;
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest();

const VIEW = `id, name, schedule_key as "scheduleKey", tag, created_at as "createdAt", last_used_at as "lastUsedAt"`;

/** Maximum number of feeds of one project. */
const MAX_FEEDS = 100;

const insert = statement<FeedScope & { projectId: number; name: string; hash: Buffer }, FeedView>(
  'create-feed',
  `insert into carillon.feeds (project_id, name, hash, schedule_key, tag)
   select :projectId, :name, :hash, :scheduleKey, :tag
   where (select count(*) from carillon.feeds where project_id = :projectId) < ${MAX_FEEDS}
   returning ${VIEW}`,
);

/**
 * Creates a feed. Only this result holds the token: 256 random bits, stored as a hash. Null if there are too many
 * feeds.
 */
export async function createFeed(
  db: Database,
  { projectId, name, actor, ...scope }: FeedScope & { projectId: number; name: string; actor: string },
): Promise<(FeedView & { token: string }) | null> {
  const token = randomBytes(32).toString('base64url');
  return inTransaction(db, async (tx) => {
    const [feed] = await insert(tx, { projectId, name, hash: hashOf(token), ...scope });
    if (!feed) return null;
    const detail = { id: feed.id, ...scope };
    await recordAudit(tx, { projectId, key: name, actor, action: 'feed.created', detail });
    return { ...feed, token };
  });
}

/** Lists the feeds of a project, newest first. */
export const listFeeds = statement<{ projectId: number; limit: number; beforeId: number | null }, FeedView>(
  'list-feeds',
  `select ${VIEW} from carillon.feeds
   where project_id = :projectId and (:beforeId::bigint is null or id < :beforeId) order by id desc limit :limit`,
);

const remove = statement<{ projectId: number; id: number }, FeedView>(
  'delete-feed',
  `delete from carillon.feeds where project_id = :projectId and id = :id returning ${VIEW}`,
);

/** Revokes a feed: its token no longer works. Null if the project has no such feed. */
export async function deleteFeed(
  db: Database,
  { projectId, id, actor }: { projectId: number; id: number; actor: string },
): Promise<FeedView | null> {
  return inTransaction(db, async (tx) => {
    const [feed] = await remove(tx, { projectId, id });
    if (!feed) return null;
    await recordAudit(tx, { projectId, key: feed.name, actor, action: 'feed.revoked', detail: { id } });
    return feed;
  });
}

const find = statement<{ hash: Buffer }, FeedView & { projectId: number; projectKey: string }>(
  'find-feed',
  `update carillon.feeds f set last_used_at = clock_timestamp()
   from carillon.projects p where f.hash = :hash and p.id = f.project_id
   returning f.id, f.name, f.schedule_key as "scheduleKey", f.tag, f.created_at as "createdAt", f.last_used_at as "lastUsedAt",
             f.project_id as "projectId", p.key as "projectKey"`,
);

/** Finds the feed of a token, and records its use. Null if there is none. */
export async function useFeed(
  db: Database,
  token: string,
): Promise<(FeedView & { projectId: number; projectKey: string }) | null> {
  const [feed] = await find(db, { hash: hashOf(token) });
  return feed ?? null;
}
