import { parseDuration } from '@carillon/recurrence';
import { DAY_MS } from './durations.js';

/**
 * How long a project keeps each kind of history, as ISO 8601 durations. If a field is absent or null, the setting of
 * the installation applies.
 */
export interface ProjectRetention {
  runs?: string | null | undefined;
  schedules?: string | null | undefined;
  audit?: string | null | undefined;
}

/** How long the installation keeps each kind of history unless a project says otherwise; null keeps it for ever. */
export interface RetentionDays {
  runs: number | null;
  schedules: number | null;
  audit: number | null;
}

/** The instants before which a project's history is removed; null if it is kept for ever. */
export interface Cutoffs {
  projectId: number;
  /** For runs (with their attempts and deferrals), for gaps, and for replaced definitions. */
  runsBefore: number | null;
  /** True if the project sets the retention of its runs itself. */
  hasOwnRuns: boolean;
  /** Finished and cancelled schedules. */
  schedulesBefore: number | null;
  auditBefore: number | null;
}

export function cutoffsOf(
  project: { id: number; retention: ProjectRetention },
  { defaults, nowAt }: { defaults: RetentionDays; nowAt: number },
): Cutoffs {
  const before = (kind: keyof RetentionDays): number | null => {
    const own = project.retention[kind] ?? null;
    if (own !== null) return nowAt - (parseDuration(own) ?? Number.POSITIVE_INFINITY);
    return defaults[kind] === null ? null : nowAt - defaults[kind] * DAY_MS;
  };
  return {
    projectId: project.id,
    runsBefore: before('runs'),
    hasOwnRuns: (project.retention.runs ?? null) !== null,
    schedulesBefore: before('schedules'),
    auditBefore: before('audit'),
  };
}
