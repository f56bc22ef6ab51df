import {
  createMaintenance,
  deleteMaintenance,
  explainOccurrences,
  listAlerts,
  listMaintenance,
  readSchedule,
} from '@carillon/db';
import { Alert, Cursor, Limit, listOf, Maintenance, MaintenanceInput, ScheduleKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../http/cursor.js';
import { invalid, notFound } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentAlert, presentMaintenance } from '../present/alert.js';

const tags = ['Alerts'];
const MaintenanceId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'expected the id of a maintenance window')
  .transform(Number);

/**
 * Open and past breaches (failures of a schedule to meet one of its objectives), and the maintenance windows in which
 * breaches are not reported.
 */
export const alertRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, clock } = context;
    app.get(
      '/alerts',
      {
        schema: {
          operationId: 'listAlerts',
          summary: 'List breaches of objectives, newest first',
          tags,
          querystring: z.strictObject({
            state: z.enum(['open', 'resolved']).optional(),
            schedule: ScheduleKey.optional(),
            limit: Limit,
            cursor: Cursor.optional(),
          }),
          response: responses({ 200: listOf(Alert) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller: { projectId }, query: { limit, cursor, ...filter } }) => {
        const beforeId = idInCursor(cursor);
        const alerts = await listAlerts(pool, { projectId, filter, limit: limit + 1, beforeId });
        const { items, nextCursor } = pageOf(alerts, limit, ({ id }) => id);
        const why = await explainOccurrences(pool, {
          projectId,
          occurrences: items,
          nowAt: Math.floor(clock.now()),
        });
        return { items: items.map((alert, i) => presentAlert(alert, why[i] ?? null)), nextCursor };
      },
    );

    app.get(
      '/maintenance-windows',
      {
        schema: {
          operationId: 'listMaintenanceWindows',
          summary: 'List maintenance windows that have not ended',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(Maintenance) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller: { projectId }, query: { limit, cursor } }) => {
        const afterId = idInCursor(cursor);
        const windows = await listMaintenance(pool, { projectId, limit: limit + 1, afterId, now: null });
        const { items, nextCursor } = pageOf(windows, limit, ({ id }) => id);
        return { items: items.map(presentMaintenance), nextCursor };
      },
    );

    app.post(
      '/maintenance-windows',
      {
        schema: {
          operationId: 'createMaintenanceWindow',
          summary: 'Silence the alerts of a project or of one schedule for a time',
          description:
            'Breaches are recorded and not reported. A breach that is still open when the window ends is reported then.',
          tags,
          body: MaintenanceInput,
          response: responses({ 201: Maintenance }, ...BODY_ERRORS, 404, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { projectId, keyName: actor } = request.caller;
        const { body } = request;
        const startsAt = body.startAt === undefined ? Math.floor(clock.now()) : Date.parse(body.startAt);
        const endsAt = Date.parse(body.endAt);
        if (endsAt <= startsAt) throw invalid([{ field: 'endAt', message: 'must be after the start' }]);
        if (endsAt <= clock.now()) throw invalid([{ field: 'endAt', message: 'must be in the future' }]);
        const schedule = body.schedule ?? null;
        if (schedule !== null && !(await readSchedule(pool, projectId, schedule)))
          throw notFound('schedule', schedule);
        const window = { schedule, startsAt, endsAt, note: body.note ?? null };
        return respondOnce(context, { request, reply }, async (db) => {
          const created = await createMaintenance(db, { projectId, actor }, window);
          return { status: 201, headers: {}, body: presentMaintenance(created), dueAts: [] };
        });
      },
    );

    app.delete(
      '/maintenance-windows/:id',
      {
        schema: {
          operationId: 'deleteMaintenanceWindow',
          summary: 'End a maintenance window; alerts that it withheld and that are still open are reported',
          tags,
          params: z.object({ id: MaintenanceId }),
          response: responses({ 200: z.object({ id: z.string() }) }, 400, 404),
        },
        onRequest: requireScope('write'),
      },
      async ({ caller: { projectId, keyName: actor }, params: { id } }) => {
        if (!(await deleteMaintenance(pool, { projectId, actor, id })))
          throw notFound('maintenance window', String(id));
        return { id: String(id) };
      },
    );
  };
