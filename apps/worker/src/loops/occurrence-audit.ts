import { setTimeout as pause } from 'node:timers/promises';
import {
  type AuditProgress,
  auditOccurrences,
  type FoundDifference,
  readAuditState,
  readHistoryStart,
  readNextProject,
  saveAuditProgress,
} from '@carillon/db';
import { DAY_MS, type OccurrenceDifference } from '@carillon/shared';
import type { WorkerContext } from '../context.js';

/** Occurrences that were due less than this ago are not audited yet, because their claim may still be under way. */
const AUDIT_DELAY_MS = 120_000;
/** The first audit looks back one day. An audit after a long downtime looks back at most 31 days. */
const FIRST_WINDOW_MS = DAY_MS;
const MAX_WINDOW_MS = 31 * DAY_MS;
/**
 * Schedules per page and pages per tick. Together they limit a tick to about a minute of work; the next tick continues.
 */
const SCHEDULES_PER_PAGE = 1_000;
const PAGES_PER_TICK = 200;
/** Pause between two pages, so that the event loop can serve deliveries. */
const BETWEEN_PAGES_MS = 50;
/** Maximum number of examples in the log line about occurrences that differ from the runs that exist. */
const MAX_EXAMPLES = 5;

interface Finding extends FoundDifference {
  project: string;
}

/**
 * Compares the occurrences of all rules since the last audit with the runs that exist, and with the recorded gaps
 * (occurrences that were left out for a reason). Each difference is counted once. Only one worker audits at a time. The
 * audit of a large installation takes several ticks.
 */
export async function runOccurrenceAudit(
  context: WorkerContext,
  {
    signal,
    pages = PAGES_PER_TICK,
    now = null,
  }: { signal: AbortSignal; pages?: number; now?: number | null },
): Promise<void> {
  const { pool, metrics } = context;
  const savedDifferences: Finding[] = [];
  try {
    let at = await begin(context, now);
    for (let page = 0; page < pages && at && !signal.aborted; page++) {
      if (page > 0) await pause(BETWEEN_PAGES_MS);
      const step = await auditPage(context, at);
      const auditedUntil = step.next === null ? at.toAt : null;
      const differenceCount = step.differences.reduce((sum, { count }) => sum + count, 0);
      const progress = { before: at, progress: step.next, auditedUntil, differenceCount, now };
      if (!(await saveAuditProgress(pool, progress))) break;
      metrics.count('carillon_audited_occurrences_total', step.occurrences);
      savedDifferences.push(...step.differences);
      at = step.next;
    }
  } finally {
    // Pages whose progress is saved are not audited again, so their differences are reported now, even if a later page
    // failed.
    report(context, savedDifferences);
  }
}

/** Returns the position of the audit in progress, or starts a new audit. Null if it is too early for a new audit. */
async function begin({ pool }: WorkerContext, now: number | null): Promise<AuditProgress | null> {
  const { auditedUntil, progress, nowAt } = await readAuditState(pool, now);
  if (progress) return progress;
  const toAt = nowAt - AUDIT_DELAY_MS;
  const sinceAt = auditedUntil === null ? toAt - FIRST_WINDOW_MS : auditedUntil + 1;
  const fromAt = Math.max(sinceAt, toAt - MAX_WINDOW_MS);
  if (fromAt >= toAt) return null;
  const first = { fromAt, toAt, projectId: 0, scheduleId: 0, afterAt: null };
  return (await saveAuditProgress(pool, {
    before: null,
    progress: first,
    auditedUntil: null,
    differenceCount: 0,
    now,
  }))
    ? first
    : null;
}

async function auditPage(
  { pool }: WorkerContext,
  { fromAt, toAt, projectId, scheduleId, afterAt }: AuditProgress,
): Promise<{ next: AuditProgress | null; differences: Finding[]; occurrences: number }> {
  const project = await readNextProject(pool, projectId);
  if (!project) return { next: null, differences: [], occurrences: 0 };
  const isSame = project.id === projectId;
  const page = await auditOccurrences(pool, {
    projectId: project.id,
    scheduleKey: null,
    limit: SCHEDULES_PER_PAGE,
    fromAt: Math.max(fromAt, await readHistoryStart(pool, project.id)),
    toAt,
    position: isSame ? { scheduleId, afterAt } : null,
  });
  const place = page.next
    ? { projectId: project.id, ...page.next }
    : { projectId: project.id + 1, scheduleId: 0, afterAt: null };
  return {
    next: { fromAt, toAt, ...place },
    differences: page.differences.map((difference) => ({ ...difference, project: project.key })),
    occurrences: page.occurrences,
  };
}

function report({ metrics, log }: WorkerContext, differences: readonly Finding[]): void {
  if (differences.length === 0) return;
  const counts: Partial<Record<OccurrenceDifference['kind'], number>> = {};
  for (const { kind, count } of differences) counts[kind] = (counts[kind] ?? 0) + count;
  for (const [kind, count] of Object.entries(counts))
    metrics.count('carillon_audit_differences_total', count, `kind="${kind}"`);
  const examples = differences
    .slice(0, MAX_EXAMPLES)
    .map(({ project, scheduleKey, kind, fromAt, toAt, count }) => ({
      project,
      schedule: scheduleKey,
      kind,
      from: new Date(fromAt).toISOString(),
      to: new Date(toAt).toISOString(),
      count,
    }));
  log.warn(
    { differences: counts, examples },
    'Audit: occurrences differ from the runs that exist. `carillon check` lists them all',
  );
}
