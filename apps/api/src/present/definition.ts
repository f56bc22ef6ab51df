import type { Plan, ScheduleInput, Timing } from '@carillon/shared';
import { formatDuration } from '@carillon/shared';

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

export interface Definition {
  name: string | null;
  tags: string[];
  rule: unknown;
  timing: Timing;
  plan: Plan;
  payload: unknown;
}

/** A definition with nothing left open, in the form in which a client could have given it. */
export function presentDefinition({ name, tags, rule, timing, plan, payload }: Definition) {
  return {
    name,
    tags,
    rule: rule as ScheduleInput['rule'],
    timezone: timing.timezone,
    startAt: iso(timing.startAt),
    endAt: iso(timing.endAt),
    maxRuns: plan.maxRuns,
    jitter: plan.jitterMs === 0 ? null : formatDuration(plan.jitterMs),
    dst: timing.dst,
    leapDay: timing.leapDay,
    exclusions: [...timing.exclusions, ...Object.keys(timing.calendars)],
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
    payload,
  };
}
