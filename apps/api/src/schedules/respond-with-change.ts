import {
  type ChangeRequest,
  type ChangeResult,
  type Database,
  readSchedule,
  type ScheduleView,
} from '@carillon/db';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../context.js';
import { HttpProblem, notFound } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';

export interface RequestAndReply {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Changes the schedule that a request names, and responds with its new state. */
export function respondWithChange<T>(
  context: ApiContext,
  exchange: RequestAndReply,
  change: (db: Database, request: ChangeRequest) => Promise<ChangeResult<T>>,
  present: (changed: { schedule: ScheduleView; value: T }) => unknown,
): Promise<FastifyReply> {
  const { request } = exchange;
  const { caller } = request;
  const { id } = request.params as { id: string };
  const ref = { projectId: caller.projectId, key: id };
  return respondOnce(context, exchange, async (db) => {
    const result = await change(db, { ref, actor: caller.keyName, ifMatch: readIfMatch(request) });
    if (result.kind !== 'changed') throw problemOf(result, id);
    const schedule = await readSchedule(db, caller.projectId, id);
    if (!schedule) throw notFound('schedule', id);
    const body = present({ schedule, value: result.value });
    return { status: 200, headers: { etag: etagOf(schedule) }, body, dueAts: result.dueAts };
  });
}

export function problemOf(
  result: Exclude<ChangeResult<unknown>, { kind: 'changed' }>,
  id: string,
): HttpProblem {
  switch (result.kind) {
    case 'not_found':
      return notFound('schedule', id);
    case 'stale':
      return new HttpProblem(
        'stale_version',
        `the schedule is at version ${result.version} now; read it again`,
      );
    case 'refused':
      return new HttpProblem('invalid_state', `schedule ${id}: ${result.reason}`);
  }
}

export const etagOf = ({ version }: Pick<ScheduleView, 'version'>) => `"${version}"`;

export function readIfMatch({ headers }: FastifyRequest): number | null {
  const text = headers['if-match'];
  if (text === undefined || text === '*') return null;
  const [, version] = /^(?:W\/)?"(\d{1,9})"$/.exec(text) ?? [];
  if (version === undefined)
    throw new HttpProblem('invalid_header', 'If-Match: expected the ETag of a schedule, such as "3"');
  return Number(version);
}
