import { type Database, explainMissing } from '@carillon/db';
import { HttpProblem, notFound } from '../http/problem.js';
import { iso } from '../present/iso.js';

/**
 * The problem for a schedule id that does not exist. If the schedule was requested by SQL, the problem says what became
 * of the request.
 */
export async function missingSchedule(
  db: Database,
  schedule: { projectId: number; key: string },
): Promise<HttpProblem> {
  const problem = notFound('schedule', schedule.key);
  const missing = await explainMissing(db, schedule);
  if (!missing) return problem;
  const why =
    missing.kind === 'pending'
      ? `the request by SQL of ${iso(missing.at)} waits for a worker to carry it out`
      : `the request by SQL was refused at ${iso(missing.at)}: ${missing.reason}`;
  return new HttpProblem(problem.code, `${problem.detail}; ${why}`);
}
