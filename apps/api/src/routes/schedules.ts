import { createHash, randomUUID } from 'node:crypto';
import { cancelSchedule, createSchedules, listSchedules, readSchedule } from '@carillon/db';
import { draftSchedule, ScheduleInput, ScheduleKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { applyChange } from '../apply-change.js';
import type { ApiContext } from '../context.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentSchedule } from '../present/schedule.js';
import { HttpProblem, invalid, notFound } from '../problem.js';

const Params = z.object({ id: ScheduleKey });
const Limit = z.coerce.number().int().min(1).max(1_000).default(100);

/** Create, read, list and cancel schedules. */
export const scheduleRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, bells, clock, defaults } = context;

    app.post(
      '/schedules',
      { schema: { body: ScheduleInput }, preHandler: requireScope('write') },
      async (request, reply) => {
        const { caller, body } = request;
        const key = body.id ?? `sch_${randomUUID().replaceAll('-', '')}`;
        const result = draftSchedule(body, { key, nowAt: Math.floor(clock.now()), defaults });
        if (!result.ok) throw invalid(result.problems);
        const draft = {
          ...result.drafted,
          key,
          payload: body.payload === undefined ? null : JSON.stringify(body.payload),
          requestHash: createHash('sha256').update(JSON.stringify(body)).digest('base64url'),
        };
        const [created] = await createSchedules(pool, {
          projectId: caller.projectId,
          drafts: [draft],
          actor: caller.keyName,
        });
        if (created?.kind === 'conflict') {
          throw new HttpProblem(
            409,
            `a schedule with the id ${key} exists already and is not the same; change it with PATCH`,
          );
        }
        // Redis being away is no reason to refuse: the row is in, the sweep arms it.
        if (created?.kind === 'created') bells.arm([draft.first.dueAt]).catch(() => {});
        const schedule = await readSchedule(pool, caller.projectId, key);
        if (!schedule) throw notFound('schedule', key);
        return reply
          .status(created?.kind === 'created' ? 201 : 200)
          .header('etag', `"${schedule.version}"`)
          .header('location', `/v1/schedules/${key}`)
          .send({ ...presentSchedule(schedule), warnings: result.drafted.warnings });
      },
    );

    app.get(
      '/schedules',
      {
        schema: {
          querystring: z.strictObject({
            status: z.enum(['active', 'paused', 'finished', 'cancelled']).optional(),
            tag: z.string().max(64).optional(),
            q: z.string().max(128).optional(),
            target: z.enum(['webhook', 'queue', 'handler', 'call']).optional(),
            dueBefore: z.coerce.date().optional(),
            dueAfter: z.coerce.date().optional(),
            limit: Limit,
            cursor: z.coerce.number().int().min(1).optional(),
          }),
        },
        preHandler: requireScope('read'),
      },
      async ({ caller, query }) => {
        const { limit, cursor, ...filter } = query;
        const found = await listSchedules(pool, {
          projectId: caller.projectId,
          filter,
          limit: limit + 1,
          beforeId: cursor ?? null,
        });
        const items = found.slice(0, limit);
        const nextCursor = found.length > limit ? String(items.at(-1)?.id) : null;
        return { items: items.map(presentSchedule), nextCursor };
      },
    );

    app.get(
      '/schedules/:id',
      { schema: { params: Params }, preHandler: requireScope('read') },
      async ({ caller, params }, reply) => {
        const schedule = await readSchedule(pool, caller.projectId, params.id);
        if (!schedule) throw notFound('schedule', params.id);
        return reply.header('etag', `"${schedule.version}"`).send(presentSchedule(schedule));
      },
    );

    app.delete(
      '/schedules/:id',
      { schema: { params: Params }, preHandler: requireScope('write') },
      async (request) => {
        const { schedule, value } = await applyChange(context, request, (change) =>
          cancelSchedule(pool, change),
        );
        return { ...presentSchedule(schedule), inFlight: value.inFlight };
      },
    );
  };
