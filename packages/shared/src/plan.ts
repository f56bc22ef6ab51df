/** Where a run is delivered. */
export type Target =
  | { type: 'webhook'; url: string; headers: Record<string, string> }
  | { type: 'queue'; queue: string }
  | { type: 'handler'; name: string }
  | { type: 'call'; number: string; assistantId: string | null; phoneNumberId: string | null };

export type MisfirePolicy = 'once' | 'all' | 'skip';
export type OverlapPolicy = 'allow' | 'skip' | 'queue' | 'cancel';

/**
 * What to do and by which policies: the part of a definition that a worker needs to act on an occurrence,
 * with every default filled in. It is stored as text, so that schedules which do the same share one parse.
 */
export interface Plan {
  target: Target;
  timeoutMs: number;
  retry: { maxAttempts: number; baseDelayMs: number; maxDelayMs: number; jitter: boolean };
  misfire: { policy: MisfirePolicy; graceMs: number; limit: number };
  overlap: OverlapPolicy;
  maxConcurrentRuns: number | null;
  dependsOn: { schedule: string; withinMs: number } | null;
  maxRuns: number | null;
  jitterMs: number;
  pauseAfterFailures: number | null;
  onSuccess: string | null;
  onFailure: string | null;
  /** Whether its deliveries are signed with a secret of its own; otherwise with its project's, if that has one. */
  hasSecret: boolean;
}

/** Whether the open runs of the schedule must be looked at before another may start. */
export function isCounted(plan: Pick<Plan, 'overlap' | 'maxConcurrentRuns' | 'dependsOn'>): boolean {
  return plan.overlap !== 'allow' || plan.maxConcurrentRuns !== null || plan.dependsOn !== null;
}
