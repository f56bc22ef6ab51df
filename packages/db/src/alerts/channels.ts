import type { ChannelType } from '@carillon/shared';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { type Database, inTransaction } from '../database.js';
import { alertChannels, alertMessages } from '../schema/alerts.js';
import { statement } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';
import { orm } from '../tenancy/orm.js';

export interface ChannelView {
  id: number;
  key: string;
  type: ChannelType;
  isEnabled: boolean;
  /** The settings that may be shown. */
  settings: Record<string, unknown>;
  /** The secret settings, such as the URL of a Slack webhook, as encrypted JSON. */
  sealed: Buffer | null;
  createdAt: number;
  updatedAt: number;
}

const VIEW = {
  id: alertChannels.id,
  key: alertChannels.key,
  type: alertChannels.type,
  isEnabled: alertChannels.isEnabled,
  settings: alertChannels.settings,
  sealed: alertChannels.sealed,
  createdAt: alertChannels.createdAt,
  updatedAt: alertChannels.updatedAt,
};

interface Requester {
  projectId: number;
  actor: string;
}

const isChannel = (projectId: number, key: string) =>
  and(eq(alertChannels.projectId, projectId), eq(alertChannels.key, key));

export async function readChannel(db: Database, projectId: number, key: string): Promise<ChannelView | null> {
  const [channel] = await orm(db).select(VIEW).from(alertChannels).where(isChannel(projectId, key));
  return (channel as ChannelView | undefined) ?? null;
}

/** Lists the channels of a project, ordered by key. */
export async function listChannels(
  db: Database,
  { projectId, limit, afterKey }: { projectId: number; limit: number; afterKey: string | null },
): Promise<ChannelView[]> {
  const isAfter = afterKey === null ? undefined : gt(alertChannels.key, afterKey);
  const rows = await orm(db)
    .select(VIEW)
    .from(alertChannels)
    .where(and(eq(alertChannels.projectId, projectId), isAfter))
    .orderBy(asc(alertChannels.key))
    .limit(limit);
  return rows as ChannelView[];
}

export type ChannelSettings = Pick<ChannelView, 'key' | 'type' | 'isEnabled' | 'settings' | 'sealed'>;

/** Creates a channel. Null if the key is taken. */
export function createChannel(
  db: Database,
  { projectId, actor }: Requester,
  { key, type, isEnabled, settings, sealed }: ChannelSettings,
): Promise<ChannelView | null> {
  return inTransaction(db, async (tx) => {
    const [created] = await orm(tx)
      .insert(alertChannels)
      .values({ projectId, key, type, isEnabled, settings, sealed })
      .onConflictDoNothing()
      .returning(VIEW);
    if (!created) return null;
    await recordAudit(tx, { projectId, actor, key, action: 'alert_channel.created', detail: { type } });
    return created as ChannelView;
  });
}

/** Replaces the settings of a channel. Null if there is no such channel. */
export function editChannel(
  db: Database,
  { projectId, actor }: Requester,
  { key, isEnabled, settings, sealed }: Omit<ChannelSettings, 'type'>,
): Promise<ChannelView | null> {
  return inTransaction(db, async (tx) => {
    const [edited] = await orm(tx)
      .update(alertChannels)
      .set({ isEnabled, settings, sealed, updatedAt: sql`clock_timestamp()` })
      .where(isChannel(projectId, key))
      .returning(VIEW);
    if (!edited) return null;
    await recordAudit(tx, { projectId, actor, key, action: 'alert_channel.edited', detail: { isEnabled } });
    return edited as ChannelView;
  });
}

/** Deletes a channel and the messages to it. False if there is no such channel. */
export function deleteChannel(db: Database, { projectId, actor }: Requester, key: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const [deleted] = await orm(tx)
      .delete(alertChannels)
      .where(isChannel(projectId, key))
      .returning({ id: alertChannels.id });
    if (!deleted) return false;
    const isToChannel = and(eq(alertMessages.projectId, projectId), eq(alertMessages.channelId, deleted.id));
    await orm(tx).delete(alertMessages).where(isToChannel);
    await recordAudit(tx, { projectId, actor, key, action: 'alert_channel.deleted' });
    return true;
  });
}

/** The record of a message to a channel. */
export interface MessageView {
  id: number;
  channelId: number;
  createdAt: number;
  tries: number;
  nextTryAt: number | null;
  sentAt: number | null;
  error: string | null;
}

const MESSAGE = `id, channel_id as "channelId", created_at as "createdAt", tries, next_try_at as "nextTryAt", sent_at as "sentAt", error`;

export const readMessage = statement<{ projectId: number; id: number }, MessageView>(
  'read-alert-message',
  `select ${MESSAGE} from carillon.alert_messages where project_id = :projectId and id = :id`,
);

/** Reads the latest message to each channel of a project. */
export const readLatestMessages = statement<{ projectId: number }, MessageView>(
  'read-latest-alert-messages',
  `select m.* from carillon.alert_channels c, lateral (
     select ${MESSAGE} from carillon.alert_messages where channel_id = c.id and project_id = :projectId order by id desc limit 1
   ) as m
   where c.project_id = :projectId`,
);
