import {
  readHeartbeat,
  readSchedule,
  rotatePingToken,
  type ScheduleView,
  type SecretBox,
} from '@carillon/db';
import { Heartbeat, ScheduleKey } from '@carillon/shared';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import { makePingToken } from '../auth/ping-token.js';
import type { ApiContext } from '../context.js';
import { HttpProblem, notFound } from '../http/problem.js';
import { responses } from '../http/responses.js';
import { iso } from '../present/iso.js';

const tags = ['Heartbeats'];
const params = z.object({ id: ScheduleKey });
const PINGS_SHOWN = 20;

/**
 * The ping URLs of a schedule, with which a job that runs elsewhere reports its start, success or failure. Reading them
 * requires a key with the scope write, because a ping changes runs of the schedule.
 */
export const heartbeatRoutes =
  ({ pool, secrets }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const findSchedule = async (request: FastifyRequest): Promise<ScheduleView> => {
      const { id } = request.params as { id: string };
      const schedule = await readSchedule(pool, request.caller.projectId, id);
      if (!schedule) throw notFound('schedule', id);
      return schedule;
    };

    const present = async (request: FastifyRequest, { id: scheduleId }: ScheduleView) => {
      const { projectId } = request.caller;
      const { generation, pings } = await readHeartbeat(pool, { projectId, scheduleId, limit: PINGS_SHOWN });
      const token = makePingToken(needKey(secrets), { scheduleId, generation });
      const url = `${request.protocol}://${request.host}/ping/${token}`;
      return {
        url,
        startUrl: `${url}/start`,
        failUrl: `${url}/fail`,
        pings: pings.map((ping) => ({ ...ping, at: iso(ping.at), occurrenceAt: iso(ping.occurrenceAt) })),
      };
    };

    app.get(
      '/schedules/:id/heartbeat',
      {
        schema: {
          operationId: 'readHeartbeat',
          summary: 'Read the ping URLs of a schedule, and its latest pings',
          tags,
          params,
          response: responses({ 200: Heartbeat }, 400, 404),
        },
        onRequest: requireScope('write'),
      },
      async (request) => present(request, await findSchedule(request)),
    );

    app.post(
      '/schedules/:id/heartbeat/rotate',
      {
        schema: {
          operationId: 'rotateHeartbeat',
          summary: 'Make new ping URLs; the old ones stop working at once',
          tags,
          params,
          response: responses({ 200: Heartbeat }, 400, 404),
        },
        onRequest: requireScope('write'),
      },
      async (request) => {
        const schedule = await findSchedule(request);
        const { projectId, keyName: actor } = request.caller;
        await rotatePingToken(pool, { projectId, scheduleId: schedule.id, key: schedule.key, actor });
        return present(request, schedule);
      },
    );
  };

function needKey(secrets: SecretBox | null): SecretBox {
  if (secrets) return secrets;
  throw new HttpProblem('encryption_key_missing', 'ping URLs need CARILLON_ENCRYPTION_KEY');
}
