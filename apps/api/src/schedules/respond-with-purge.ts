import { purgeSchedule, readSchedule } from '@carillon/db';
import type { FastifyReply } from 'fastify';
import type { ApiContext } from '../context.js';
import { notFound } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { presentSchedule } from '../present/schedule.js';
import { etagOf, problemOf, type RequestAndReply, readIfMatch } from './respond-with-change.js';

/** Removes the schedule that a request names, and responds with its last state. */
export function respondWithPurge(context: ApiContext, exchange: RequestAndReply): Promise<FastifyReply> {
  const { request } = exchange;
  const { caller } = request;
  const { id: key } = request.params as { id: string };
  const { projectId, keyName: actor } = caller;
  return respondOnce(context, exchange, async (db) => {
    const before = await readSchedule(db, projectId, key);
    if (!before) throw notFound('schedule', key);
    const result = await purgeSchedule(db, {
      ref: { projectId, key },
      actor,
      ifMatch: readIfMatch(request),
    });
    if (result.kind !== 'changed') throw problemOf(result, key);
    if (result.value.isNew) context.counters.count('jobs_cancelled_total');
    const last = { ...before, status: 'cancelled' as const, nextRunAt: null };
    const body = { ...presentSchedule(last), inFlight: [], purged: true };
    return { status: 200, headers: { etag: etagOf(before) }, body, dueAts: [] };
  });
}
