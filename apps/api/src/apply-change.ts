import { type ChangeRequest, type ChangeResult, readSchedule, type ScheduleView } from '@carillon/db';
import type { FastifyRequest } from 'fastify';
import type { ApiContext } from './context.js';
import { HttpProblem, notFound } from './problem.js';

/** Makes a change to the schedule that a request names, arms what it entails, and answers with the schedule as it now is. */
export async function applyChange<T>(
  { pool, bells }: ApiContext,
  request: FastifyRequest,
  change: (request: ChangeRequest) => Promise<ChangeResult<T>>,
): Promise<{ schedule: ScheduleView; value: T }> {
  const { caller } = request;
  const { id } = request.params as { id: string };
  const result = await change({
    ref: { projectId: caller.projectId, key: id },
    actor: caller.keyName,
    ifMatch: readIfMatch(request),
  });
  switch (result.kind) {
    case 'not_found':
      throw notFound('schedule', id);
    case 'stale':
      throw new HttpProblem(412, `the schedule is at version ${result.version} by now; read it again`);
    case 'refused':
      throw new HttpProblem(409, `schedule ${id}: ${result.reason}`);
    case 'changed': {
      bells.arm(result.dueAts).catch(() => {});
      const schedule = await readSchedule(pool, caller.projectId, id);
      if (!schedule) throw notFound('schedule', id);
      return { schedule, value: result.value };
    }
  }
}

function readIfMatch({ headers }: FastifyRequest): number | null {
  const text = headers['if-match'];
  if (text === undefined || text === '*') return null;
  const [, version] = /^(?:W\/)?"(\d{1,9})"$/.exec(text) ?? [];
  if (version === undefined)
    throw new HttpProblem(400, 'If-Match: expected the ETag of a schedule, such as "3"');
  return Number(version);
}
