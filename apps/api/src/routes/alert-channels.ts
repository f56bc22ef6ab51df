import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChannelView,
  createChannel,
  deleteChannel,
  editChannel,
  insertMessage,
  type KeyOwner,
  listChannels,
  readChannel,
  readLatestMessages,
  readMessage,
} from '@carillon/db';
import { TICKS } from '@carillon/queue';
import {
  AlertChannel,
  AlertChannelInput,
  AlertChannelPatch,
  AlertMessage,
  ChannelKey,
  Cursor,
  Limit,
  listOf,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import { mergeChannel, settingsOf } from '../channel-settings.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, pageOf } from '../http/cursor.js';
import { HttpProblem, notFound } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentChannel, presentMessage } from '../present/alert.js';

const params = z.object({ id: ChannelKey });
const tags = ['Alerts'];
const MAX_CHANNELS = 50;
/** How long the test of a channel waits for a worker to send its message. */
const TEST_TIMEOUT_MS = 10_000;
const TEST_POLL_MS = 100;

/** Alert channels: the webhooks, chats, mail addresses and pagers to which the alerts of a project are sent. */
export const alertChannelRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, secrets, defaults, wakeUps } = context;
    const vaultOf = ({ projectId }: KeyOwner) => ({
      secrets,
      projectId,
      allowPrivate: defaults.allowPrivateTargets,
    });
    const askedBy = ({ projectId, keyName }: KeyOwner) => ({ projectId, actor: keyName });
    const present = async (projectId: number, channels: readonly ChannelView[]) => {
      const latest = await readLatestMessages(pool, { projectId });
      return channels.map((channel) =>
        presentChannel(channel, latest.find(({ channelId }) => channelId === channel.id) ?? null),
      );
    };

    app.get(
      '/alert-channels',
      {
        schema: {
          operationId: 'listAlertChannels',
          summary: 'List the channels to which alerts are sent',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(AlertChannel) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller: { projectId }, query: { limit, cursor } }) => {
        const afterKey = cursor === undefined ? null : decodeCursor(cursor);
        const channels = await listChannels(pool, { projectId, limit: limit + 1, afterKey });
        const { items, nextCursor } = pageOf(channels, limit, ({ key }) => key);
        return { items: await present(projectId, items), nextCursor };
      },
    );

    app.post(
      '/alert-channels',
      {
        schema: {
          operationId: 'createAlertChannel',
          summary: 'Create a channel: a signed webhook, a Slack-compatible webhook, e-mail or PagerDuty',
          tags,
          body: AlertChannelInput,
          response: responses({ 201: AlertChannel }, ...BODY_ERRORS, 409, 422),
        },
        onRequest: requireScope('admin'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        const settings = settingsOf(body, vaultOf(caller));
        return respondOnce(context, { request, reply }, async (db) => {
          const { projectId } = caller;
          const existing = await listChannels(db, { projectId, limit: MAX_CHANNELS, afterKey: null });
          if (existing.length >= MAX_CHANNELS)
            throw new HttpProblem('invalid_state', `a project has at most ${MAX_CHANNELS} alert channels`);
          const created = await createChannel(db, askedBy(caller), settings);
          if (!created)
            throw new HttpProblem('already_exists', `an alert channel with the id ${body.id} exists already`);
          return { status: 201, headers: {}, body: presentChannel(created, null), dueAts: [] };
        });
      },
    );

    app.get(
      '/alert-channels/:id',
      {
        schema: {
          operationId: 'readAlertChannel',
          summary: 'Read a channel, with the record of its latest message',
          tags,
          params,
          response: responses({ 200: AlertChannel }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller: { projectId }, params: { id } }) => {
        const channel = await readChannel(pool, projectId, id);
        if (!channel) throw notFound('alert channel', id);
        const [presented] = await present(projectId, [channel]);
        return presented as z.infer<typeof AlertChannel>;
      },
    );

    app.patch(
      '/alert-channels/:id',
      {
        schema: {
          operationId: 'editAlertChannel',
          summary: 'Edit a channel; omitted fields keep their value',
          tags,
          params,
          body: AlertChannelPatch,
          response: responses({ 200: AlertChannel }, ...BODY_ERRORS, 404, 409),
        },
        onRequest: requireScope('admin'),
      },
      async ({ caller, params: { id }, body }) => {
        const held = await readChannel(pool, caller.projectId, id);
        if (!held) throw notFound('alert channel', id);
        const edited = await editChannel(pool, askedBy(caller), mergeChannel(held, body, vaultOf(caller)));
        if (!edited) throw notFound('alert channel', id);
        const [presented] = await present(caller.projectId, [edited]);
        return presented as z.infer<typeof AlertChannel>;
      },
    );

    app.delete(
      '/alert-channels/:id',
      {
        schema: {
          operationId: 'deleteAlertChannel',
          summary: 'Delete a channel, and the messages that were not sent to it yet',
          tags,
          params,
          response: responses({ 200: z.object({ id: ChannelKey }) }, 400, 404),
        },
        onRequest: requireScope('admin'),
      },
      async ({ caller, params: { id } }) => {
        if (!(await deleteChannel(pool, askedBy(caller), id))) throw notFound('alert channel', id);
        return { id };
      },
    );

    app.post(
      '/alert-channels/:id/test',
      {
        schema: {
          operationId: 'testAlertChannel',
          summary: 'Send a test message, and wait up to ten seconds for the result',
          description:
            'A worker sends the message. It stays `pending` while earlier messages to the channel wait.',
          tags,
          params,
          response: responses({ 200: AlertMessage }, 400, 404),
        },
        onRequest: requireScope('admin'),
      },
      async ({ caller: { projectId, keyName: actor }, params: { id } }) => {
        const channel = await readChannel(pool, projectId, id);
        if (!channel) throw notFound('alert channel', id);
        const content = { type: 'test' as const, actor };
        const messageId = await insertMessage(pool, { projectId, channelId: channel.id, content, now: null });
        wakeUps.wake(TICKS.alerts).catch(() => {}); // If Redis is away, the next sweep sends the message.
        const waitUntil = performance.now() + TEST_TIMEOUT_MS;
        for (;;) {
          const [message] = await readMessage(pool, { projectId, id: messageId });
          if (!message) throw notFound('alert channel', id);
          const hasResult = message.sentAt !== null || message.error !== null;
          if (hasResult || performance.now() > waitUntil) return presentMessage(message);
          await sleep(TEST_POLL_MS);
        }
      },
    );
  };
