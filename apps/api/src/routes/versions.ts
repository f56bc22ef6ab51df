import { type DefinitionView, readSchedule, readVersions } from '@carillon/db';
import {
  Cursor,
  Limit,
  listOf,
  nextOccurrences,
  parseExactly,
  ScheduleKey,
  ScheduleVersion,
  type Timing,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../http/cursor.js';
import { notFound } from '../http/problem.js';
import { responses } from '../http/responses.js';
import { presentDefinition } from '../present/definition.js';
import { iso } from '../present/iso.js';

/** Number of occurrences that are shown for each definition. */
const OCCURRENCES_SHOWN = 5;
/**
 * Number of definitions that are converted to their JSON form in one turn of the event loop. Other requests run between
 * two turns.
 */
const VERSIONS_PER_TURN = 20;

/** The versions of a schedule's definition, with author and time. */
export const versionRoutes =
  ({ pool }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/schedules/:id/versions',
      {
        schema: {
          operationId: 'listVersions',
          summary: 'List all definitions of a schedule, newest first, with author and time',
          description:
            'The first entry is the current definition. Pauses and resumes also increase the version of a schedule without changing its definition, so version numbers may be missing. A page also ends when it has reached 4 MiB.',
          tags: ['Schedules'],
          params: z.object({ id: ScheduleKey }),
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(ScheduleVersion) }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller: { projectId }, params, query: { limit, cursor } }) => {
        const schedule = await readSchedule(pool, projectId, params.id);
        if (!schedule) throw notFound('schedule', params.id);
        const { versions, isCut } = await readVersions(pool, {
          projectId,
          scheduleId: schedule.id,
          beforeVersion: versionInCursor(cursor),
          limit: limit + 1,
        });
        const { items, nextCursor } = pageOf(versions, limit, ({ version }) => version, isCut);
        const shown: z.infer<typeof ScheduleVersion>[] = [];
        for (const held of items) {
          shown.push(presentVersion(held));
          if (shown.length % VERSIONS_PER_TURN === 0) await new Promise(setImmediate);
        }
        return { items: shown, nextCursor };
      },
    );
  };

/** The largest value of the column `version`. Postgres refuses a larger parameter. */
const MAX_VERSION = 2 ** 31 - 1;

function versionInCursor(cursor: string | undefined): number | null {
  const version = idInCursor(cursor);
  return version === null ? null : Math.min(version, MAX_VERSION);
}

function presentVersion(held: DefinitionView): z.infer<typeof ScheduleVersion> {
  const { payloadText, timing, timingBefore, definedAt } = held;
  const nextOf = (definition: Timing) =>
    nextOccurrences(definition, definedAt, OCCURRENCES_SHOWN).map((at) => iso(at));
  return {
    ...presentDefinition(held),
    payload: payloadText === null ? null : parseExactly(payloadText),
    version: held.version,
    definedAt: iso(definedAt),
    definedBy: held.definedBy,
    supersededAt: iso(held.supersededAt),
    next: nextOf(timing),
    nextBefore: timingBefore && nextOf(timingBefore),
  };
}
