import type { ScheduleView } from '@carillon/db';
import { formatDuration, presentSlo, redactTarget, type ScheduleInput } from '@carillon/shared';
import { iso } from './iso.js';

type Definition = Pick<ScheduleView, 'name' | 'tags' | 'rule' | 'timing' | 'plan'>;

/** A definition with all defaults filled in and without its payload, in the form of a request. */
export function presentDefinition({ name, tags, rule, timing, plan }: Definition) {
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
    calendars: Object.keys(timing.calendars),
    onExcluded: timing.onExcluded,
    businessDays: timing.businessDays,
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
    slo: presentSlo(plan.slo),
    target: redactTarget(plan.target),
  };
}
