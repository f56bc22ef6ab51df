import {
  createFeed,
  deleteFeed,
  type FeedView,
  listFeeds,
  readFeedGaps,
  readFeedRuns,
  readFeedSchedules,
  readSchedule,
  useFeed,
} from '@carillon/db';
import { Cursor, DAY_MS, Feed, FeedInput, Limit, listOf, NewFeed, writeIcs } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import { addressOf } from '../auth/key-throttle.js';
import { tooManyRequests } from '../auth/rate-limit.js';
import { TokenBuckets } from '../auth/token-buckets.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../http/cursor.js';
import { HttpProblem, notFound } from '../http/problem.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { iso } from '../present/iso.js';
import { composeFeed, FEED_DAYS_BACK } from '../schedules/compose-feed.js';

const tags = ['Feeds'];
const MAX_SCHEDULES = 500;
const MAX_RUNS = 1_000;
const MAX_GAPS = 1_000;
/**
 * Maximum number of reads of a feed per minute, and of reads with an unknown token per minute and client address, on
 * all replicas together. Calendar programs read a few times an hour.
 */
const READS_PER_MINUTE = 30;

const present = ({ id, name, scheduleKey, tag, createdAt, lastUsedAt }: FeedView) => ({
  id,
  name,
  schedule: scheduleKey,
  tag,
  createdAt: iso(createdAt),
  lastUsedAt: iso(lastUsedAt),
});

/** The iCal feed itself. The token in its URL is the only credential. */
export const feedRoutes =
  ({ pool, clock, usage: bus }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const reads = new TokenBuckets<string>({ shared: { bus, name: 'feed reads' } });
    const failures = new TokenBuckets<string>({ shared: { bus, name: 'unknown feed tokens' } });
    app.get(
      '/calendar.ics',
      {
        schema: {
          operationId: 'readFeed',
          summary: 'Read an iCal feed',
          description: `For calendar programs. Contains the runs of the last ${FEED_DAYS_BACK} days with their outcome, one cancelled event for each stretch of occurrences that did not run, and the occurrences of the next 90 days: up to 1,000 of each. Needs no key: the token of the feed is enough.`,
          tags,
          security: [],
          querystring: z.strictObject({ token: z.string().min(1).max(200) }),
          response: {
            ...responses({}, 400, 404),
            200: {
              description: 'An iCalendar file (RFC 5545).',
              content: { 'text/calendar': { schema: z.string() } },
            },
          },
        },
      },
      async (request, reply) => {
        const { token } = request.query;
        const address = addressOf(request.ip);
        const { waitMs } = failures.peek(address, READS_PER_MINUTE);
        if (waitMs > 0)
          throw tooManyRequests('rate_limited', {
            detail: 'too many unknown tokens from this address',
            waitMs,
          });
        const feed = await useFeed(pool, token);
        if (!feed) {
          failures.take(address, READS_PER_MINUTE);
          throw new HttpProblem('not_found', 'there is no feed with this token; it may have been revoked');
        }
        const read = reads.take(String(feed.id), READS_PER_MINUTE);
        if (!read.isTaken)
          throw tooManyRequests('rate_limited', {
            detail: 'this feed is read too often',
            waitMs: read.waitMs,
          });
        const nowAt = Math.floor(clock.now());
        const { projectId, projectKey, name } = feed;
        const schedules = await readFeedSchedules(pool, { ...feed, limit: MAX_SCHEDULES });
        const past = {
          projectId,
          scheduleIds: schedules.map(({ id }) => id),
          fromAt: nowAt - FEED_DAYS_BACK * DAY_MS,
          toAt: nowAt,
        };
        const [runs, gaps] = await Promise.all([
          readFeedRuns(pool, { ...past, limit: MAX_RUNS }),
          readFeedGaps(pool, { ...past, limit: MAX_GAPS }),
        ]);
        const events = await composeFeed({ projectKey, schedules, runs, gaps, nowAt });
        return reply
          .header('content-type', 'text/calendar; charset=utf-8')
          .header('content-disposition', 'inline; filename="carillon.ics"')
          .serializer((text: unknown) => text as string)
          .send(writeIcs({ name, events }));
      },
    );
  };

/** The feeds of a project and their tokens. */
export const feedTokenRoutes =
  ({ pool }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.post(
      '/feeds',
      {
        schema: {
          operationId: 'createFeed',
          summary: 'Create an iCal feed',
          description: 'The token is shown once. It reads this feed and nothing else.',
          tags,
          body: FeedInput,
          response: responses({ 201: NewFeed }, ...BODY_ERRORS, 404, 409),
        },
        onRequest: requireScope('write'),
      },
      async ({ caller: { projectId, keyName: actor }, body: { name, schedule, tag } }, reply) => {
        if (schedule !== undefined && !(await readSchedule(pool, projectId, schedule)))
          throw notFound('schedule', schedule);
        const scope = { scheduleKey: schedule ?? null, tag: tag ?? null };
        const feed = await createFeed(pool, { projectId, name, actor, ...scope });
        if (!feed)
          throw new HttpProblem(
            'invalid_state',
            'this project has its maximum of 100 feeds; revoke one first',
          );
        const { token } = feed;
        return reply.status(201).send({ ...present(feed), token, url: `/v1/calendar.ics?token=${token}` });
      },
    );

    app.get(
      '/feeds',
      {
        schema: {
          operationId: 'listFeeds',
          summary: 'List iCal feeds, newest first',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(Feed) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller: { projectId }, query: { limit, cursor } }) => {
        const feeds = await listFeeds(pool, { projectId, limit: limit + 1, beforeId: idInCursor(cursor) });
        const { items, nextCursor } = pageOf(feeds, limit, ({ id }) => id);
        return { items: items.map(present), nextCursor };
      },
    );

    app.delete(
      '/feeds/:id',
      {
        schema: {
          operationId: 'revokeFeed',
          summary: 'Revoke an iCal feed',
          tags,
          params: z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
          response: responses({ 200: Feed }, 400, 404),
        },
        onRequest: requireScope('write'),
      },
      async ({ caller: { projectId, keyName: actor }, params: { id } }) => {
        const feed = await deleteFeed(pool, { projectId, id, actor });
        if (!feed) throw notFound('feed', String(id));
        return present(feed);
      },
    );
  };
