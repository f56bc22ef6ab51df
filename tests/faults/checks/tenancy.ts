import { decodeRunId } from '@carillon/shared';
import type { Facts } from './facts.js';

/**
 * Checks promise I9: runs and gaps in Postgres, and requests at the receiver, belong to the project of their schedule.
 */
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
