import { decodeRunId } from '@carillon/shared';
import type { Facts } from './facts.js';

/** I9: runs, gaps and requests belong to the project of their schedule, in Postgres and at the receiver. */
export function checkTenancy(facts: Facts): string[] {
  const violations: string[] = [];
  const schedules = new Map(facts.schedules.map((schedule) => [schedule.id, schedule]));
  const belongings = [...facts.runs.values(), ...facts.gaps.values()].flat();
  for (const { scheduleId, projectId } of belongings) {
    const schedule = schedules.get(scheduleId);
    if (schedule?.projectId !== projectId) {
      violations.push(`I9 a run or gap of ${schedule?.key ?? scheduleId} belongs to project ${projectId}`);
    }
  }
  for (const { runId, project, scheduleKey } of facts.deliveries) {
    const schedule = schedules.get(decodeRunId(runId)?.scheduleId ?? 0);
    if (schedule?.project !== project || schedule.key !== scheduleKey) {
      violations.push(
        `I9 ${runId} of project ${schedule?.project ?? '(none)'} came to the receiver of ${project}`,
      );
    }
  }
  return violations;
}
