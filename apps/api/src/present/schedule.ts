import type { ScheduleView } from '@carillon/db';
import { formatDuration } from '@carillon/shared';

const iso = (at: Date | null) => at?.toISOString() ?? null;
const isoMs = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** A schedule as the API shows it. */
export function presentSchedule(schedule: ScheduleView) {
  const { timing, plan } = schedule;
  return {
    id: schedule.key,
    name: schedule.name,
    tags: schedule.tags,
    rule: schedule.rule,
    timezone: timing.timezone,
    startAt: isoMs(timing.startAt),
    endAt: isoMs(timing.endAt),
    maxRuns: plan.maxRuns,
    jitter: plan.jitterMs === 0 ? null : formatDuration(plan.jitterMs),
    dst: timing.dst,
    leapDay: timing.leapDay,
    exclusions: timing.exclusions,
    misfire: {
      policy: plan.misfire.policy,
      grace: formatDuration(plan.misfire.graceMs),
      limit: plan.misfire.limit,
    },
    overlap: plan.overlap,
    maxConcurrentRuns: plan.maxConcurrentRuns,
    dependsOn: plan.dependsOn && {
      schedule: plan.dependsOn.schedule,
      within: formatDuration(plan.dependsOn.withinMs),
    },
    retry: {
      maxAttempts: plan.retry.maxAttempts,
      baseDelay: formatDuration(plan.retry.baseDelayMs),
      maxDelay: formatDuration(plan.retry.maxDelayMs),
      jitter: plan.retry.jitter,
    },
    timeout: formatDuration(plan.timeoutMs),
    pauseAfterFailures: plan.pauseAfterFailures,
    onSuccess: plan.onSuccess,
    onFailure: plan.onFailure,
    target: plan.target,
    payload: schedule.payload,
    status: schedule.status,
    version: schedule.version,
    nextRunAt: iso(schedule.status === 'active' ? schedule.nextRunAt : null),
    lastRunAt: iso(schedule.lastRunAt),
    lastEnqueuedAt: iso(schedule.lastEnqueuedAt),
    runsTotal: schedule.runsTotal,
    pause:
      schedule.status !== 'paused'
        ? null
        : {
            at: iso(schedule.pausedAt),
            until: iso(schedule.pausedUntil),
            by: schedule.pausedBy,
            note: schedule.pauseNote,
          },
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  };
}
