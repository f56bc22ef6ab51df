import { RUN_STATUSES } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { EventBroadcaster } from '../events/event-broadcaster.js';
import { EventStream } from '../events/event-stream.js';
import { decodePosition, type StreamPosition } from '../events/position.js';
import { StreamLimiter } from '../events/stream-limiter.js';
import { HttpProblem } from '../http/problem.js';
import { responses } from '../http/responses.js';

const EVENT_TYPES = [
  'run.started',
  'run.succeeded',
  'run.failed',
  'run.retrying',
  'run.skipped',
  'run.cancelled',
  'schedule.changed',
];
const KEY_CHECK_INTERVAL_MS = 1_000;
/**
 * A stopping replica tells the clients of its event streams to reconnect after this delay, plus a random part of
 * `RECONNECT_SPREAD_MS`.
 */
const MIN_RECONNECT_MS = 500;
const RECONNECT_SPREAD_MS = 4_500;

const DESCRIPTION = `Types: \`run.started\`, \`run.succeeded\`, \`run.failed\`, \`run.retrying\`, \`run.skipped\`, \`run.cancelled\`,
\`schedule.changed\`, and \`overflow\` if too many events were missed to send them all. Reconnect with \`Last-Event-ID\` to receive the
events that were missed, up to 5,000 runs and 5,000 changes. Events are delivered at least once: \`data.id\` is the same when an
event is sent again. A client that does not read is disconnected. Each replica limits the open streams of a project and of a key (429).`;

/** Streams the events of a project as server-sent events. */
export const eventRoutes =
  ({ pool, clock, keys, streams }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const onError = (error: unknown) => app.log.debug({ err: error }, 'Event stream failed');
    const broadcaster = new EventBroadcaster(pool, clock, onError);
    const limiter = new StreamLimiter(streams);
    const open = new Set<EventStream>();
    app.addHook('preClose', async () => {
      broadcaster.close();
      // Each client gets a random delay, because thousands that reconnect at once would overload the next replica.
      for (const stream of open) stream.endForStop(MIN_RECONNECT_MS + Math.random() * RECONNECT_SPREAD_MS);
    });

    app.get(
      '/events',
      {
        // Otherwise Fastify would answer HEAD too, and a HEAD request would hold a stream open without receiving
        // anything.
        exposeHeadRoute: false,
        schema: {
          operationId: 'listenToEvents',
          summary: 'Stream events (server-sent events)',
          description: DESCRIPTION,
          tags: ['Events'],
          querystring: z.strictObject({
            schedule: z.string().max(4_096).optional().meta({
              description: 'Only events of these schedules: ids, separated by commas.',
            }),
            type: listOfNames(EVENT_TYPES)
              .optional()
              .meta({
                description: 'Only events of these types, separated by commas. `overflow` is always sent.',
                examples: ['run.failed,run.skipped'],
              }),
            status: listOfNames(RUN_STATUSES).optional().meta({
              description:
                'Only events of runs whose status at that moment was one of these, separated by commas.',
            }),
            digest: z.literal('1s').optional().meta({
              description:
                'Instead of every event, at most one `digest` a second: `{ id, total, counts, samples }`, with counts by type and up to 20 events in full, failures first.',
            }),
          }),
          headers: z.looseObject({ 'last-event-id': z.string().max(64).optional() }),
          response: responses({ 200: STREAM }, 400),
        },
        onRequest: requireScope('read'),
      },
      async (request, reply) => {
        const { schedule, type, status, digest } = request.query;
        const filter = { schedules: setOf(schedule), types: setOf(type), statuses: setOf(status) };
        const isFiltered = [schedule, type, status].some((given) => given !== undefined);
        const preferences = { filter: isFiltered ? filter : null, isDigest: digest !== undefined };
        const since = readPosition(request.headers['last-event-id']);
        const release = limiter.acquire(request.caller);
        reply.raw.on('close', release);
        // Read from Postgres before the stream begins, because an error after that can no longer be answered with a
        // problem.
        await broadcaster.waitUntilReady(request.caller.projectId);
        reply.hijack();
        if (reply.raw.destroyed) return;
        const stream = new EventStream(reply.raw, reply.getHeaders() as Record<string, string>);
        const subscription = broadcaster.subscribe(request.caller.projectId, { since, preferences }, stream);
        const { credential } = request;
        const keyCheck = setInterval(async () => {
          const owner = await keys.findOwner(credential).catch(() => undefined);
          if (owner === null) stream.end();
        }, KEY_CHECK_INTERVAL_MS);
        open.add(stream);
        reply.raw.on('close', () => {
          clearInterval(keyCheck);
          subscription.stop();
          open.delete(stream);
        });
        await subscription.caughtUp.catch((error) => {
          // The client reconnects and resumes after the last event that it received.
          onError(error);
          stream.end();
        });
      },
    );
  };

const setOf = (names: string | undefined) => (names === undefined ? null : new Set(names.split(',')));

/**
 * A list of names, separated by commas. An unknown name is refused, because a stream with a misspelt filter would stay
 * empty.
 */
const listOfNames = (known: readonly string[]) =>
  z
    .string()
    .max(512)
    .refine((text) => text.split(',').every((name) => known.includes(name)), {
      error: `expected one or more of ${known.join(', ')}, separated by commas`,
    });

const STREAM = {
  description: 'A stream of events.',
  content: { 'text/event-stream': { schema: z.string() } },
} as unknown as z.ZodString;

function readPosition(text: string | undefined): StreamPosition | null {
  if (text === undefined || text === '') return null;
  const position = decodePosition(text);
  if (!position) throw new HttpProblem('invalid_header', 'Last-Event-ID: expected the id of an event');
  return position;
}
