import {
  listAudit,
  listWorkers,
  readCounterWindows,
  readInstallationState,
  readSystem,
  readTzdata,
} from '@carillon/db';
import { AuditEntry, Cursor, InstantInput, Limit, listOf, System, WorkerReplica } from '@carillon/shared';
import { cachedFor } from '@carillon/telemetry';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../http/cursor.js';
import { responses } from '../http/responses.js';
import { iso } from '../present/iso.js';
import { presentSystem } from '../present/system.js';

const tags = ['Operations'];
const WINDOWS_CACHE_TTL_MS = 1_000;

/** The audit log, the workers and the state of the engine. */
export const operationRoutes =
  ({ pool, bells, clock, health }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('read'));
    // Cached, because each open dashboard asks every few seconds, and the counters of a day have tens of thousands of
    // rows, one per counter and minute.
    const readWindows = cachedFor(WINDOWS_CACHE_TTL_MS, () => readCounterWindows(pool, null));

    app.get(
      '/audit',
      {
        schema: {
          operationId: 'listAudit',
          summary: 'List audit log entries, newest first',
          tags,
          querystring: z.strictObject({
            action: z
              .string()
              .max(64)
              .optional()
              .meta({ examples: ['schedule.paused'] }),
            subject: z.string().max(128).optional(),
            from: InstantInput.optional(),
            to: InstantInput.optional(),
            limit: Limit,
            cursor: Cursor.optional(),
          }),
          response: responses({ 200: listOf(AuditEntry) }, 400),
        },
      },
      async ({ caller, query }) => {
        const { limit, cursor, ...filter } = query;
        const page = { projectId: caller.projectId, filter, limit: limit + 1, beforeId: idInCursor(cursor) };
        const { items, nextCursor } = pageOf(await listAudit(pool, page), limit, ({ id }) => id);
        return { items: items.map((entry) => ({ ...entry, at: iso(entry.at) })), nextCursor };
      },
    );

    app.get(
      '/workers',
      {
        schema: {
          operationId: 'listWorkers',
          summary: 'List worker replicas of the last day, newest first',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(WorkerReplica) }, 400),
        },
      },
      async ({ query: { limit, cursor } }) => {
        const workers = await listWorkers(pool, { limit: limit + 1, beforeId: idInCursor(cursor) });
        const { items, nextCursor } = pageOf(workers, limit, ({ id }) => id);
        return {
          items: items.map((worker) => ({
            ...worker,
            startedAt: iso(worker.startedAt),
            heartbeatAt: iso(worker.heartbeatAt),
            stoppedAt: iso(worker.stoppedAt),
          })),
          nextCursor,
        };
      },
    );

    app.get(
      '/system',
      {
        schema: {
          operationId: 'readSystem',
          summary: 'Read the health and drift figures of the engine',
          tags,
          response: responses({ 200: System }),
        },
      },
      async () => {
        const [figures, windows, facts, bellsArmed, tzdata, { hold }] = await Promise.all([
          readSystem(pool),
          readWindows(),
          health(),
          bells.countArmed().catch(() => null),
          readTzdata(pool, null),
          readInstallationState(pool),
        ]);
        const clockOffsetMs = Math.round(-clock.offsetMs);
        return presentSystem({ figures, windows, facts, bellsArmed, clockOffsetMs, tzdata, hold });
      },
    );
  };
