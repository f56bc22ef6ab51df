import type { Watermark } from '@carillon/db';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers } from '../answers.js';
import type { ApiContext } from '../context.js';
import { EventStream } from '../events/event-stream.js';
import { Feed } from '../events/feed.js';
import { keyOf, requireScope } from '../plugins/authenticate.js';
import { HttpProblem } from '../problem.js';

const STILL_ALLOWED_MS = 1_000;

const DESCRIPTION = `Types: \`run.started\`, \`run.succeeded\`, \`run.failed\`, \`run.retrying\`, \`run.skipped\`, \`run.cancelled\`,
\`schedule.changed\`, and \`overflow\` where more happened than can be told. Reconnect with \`Last-Event-ID\` to be told what happened
meanwhile. At least once: \`data.id\` is the same when an event is sent again.`;

/** Server-sent events of what happens. */
export const eventRoutes =
  ({ pool, clock, keys }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const feed = new Feed(pool, clock, (error) => app.log.debug({ err: error }, 'Events'));
    const open = new Set<() => void>();
    app.addHook('preClose', async () => {
      feed.close();
      for (const end of open) end();
    });

    app.get(
      '/events',
      {
        schema: {
          operationId: 'listenToEvents',
          summary: 'Server-sent events of what happens',
          description: DESCRIPTION,
          tags: ['Events'],
          headers: z.looseObject({ 'last-event-id': z.string().max(64).optional() }),
          response: answers({ 200: STREAM }, 400),
        },
        onRequest: requireScope('read'),
      },
      async (request, reply) => {
        const since = readPosition(request.headers['last-event-id']);
        const stream = new EventStream();
        // Postgres is asked before the stream begins: an error can still be said in the usual way.
        const stop = await feed.listen(request.caller.projectId, since, (batch) => stream.send(batch));
        reply.hijack();
        stream.open(reply.raw, reply.getHeaders() as Record<string, string>);
        const key = keyOf(request) ?? '';
        const watch = setInterval(async () => {
          const owner = await keys.ownerOf(key).catch(() => undefined);
          if (owner === null) end();
        }, STILL_ALLOWED_MS);
        const end = () => {
          clearInterval(watch);
          stop();
          stream.end();
          open.delete(end);
        };
        open.add(end);
        reply.raw.on('close', end);
      },
    );
  };

const STREAM = {
  description: 'A stream of events.',
  content: { 'text/event-stream': { schema: z.string() } },
} as unknown as z.ZodString;

function readPosition(text: string | undefined): Watermark | null {
  if (text === undefined || text === '') return null;
  const [, epoch, auditId] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (epoch === undefined || auditId === undefined) {
    throw new HttpProblem(400, 'Last-Event-ID: expected the id of an event');
  }
  return { epoch: Number(epoch), auditId: Number(auditId) };
}
