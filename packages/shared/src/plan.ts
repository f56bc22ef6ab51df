import type { Slo } from './slo/slo.js';

export interface WebhookTarget {
  type: 'webhook';
  url: string;
  headers: Record<string, string>;
  /** POST if absent. */
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET' | undefined;
  /** `envelope` if absent. */
  body?: 'envelope' | 'payload' | undefined;
}

/** The target of a run. */
export type Target =
  | WebhookTarget
  | { type: 'queue'; queue: string }
  | { type: 'handler'; name: string }
  | { type: 'call'; number: string; assistantId: string | null; phoneNumberId: string | null }
  /**
   * Nothing is delivered: the occurrence waits until its job reports by HTTP (a ping). The durations are texts, as the
   * client gave them.
   */
  | { type: 'heartbeat'; grace: string; startGrace: string | null };

export type MisfirePolicy = 'once' | 'all' | 'skip';
export type OverlapPolicy = 'allow' | 'skip' | 'queue' | 'cancel';

/**
 * The part of a definition that a worker needs to deliver an occurrence: the target and the policies, with every
 * default filled in. It is stored as text, so that schedules with the same text can share one parsed object.
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
  /** True if the schedule has a secret of its own. Otherwise the project's secret signs its deliveries. */
  hasSecret: boolean;
  /** The objectives of the schedule. An alert is raised if one is missed. Null if the schedule has none. */
  slo: Slo | null;
}

/** The handler that a plan's target names; null for every other kind of target. */
export const handlerOf = ({ target }: Pick<Plan, 'target'>): string | null =>
  target.type === 'handler' ? target.name : null;

/**
 * Returns the handler of the plan if workers are alive and none of them has the handler. Null if a worker has it, if no
 * worker is alive, or if the target is no handler.
 */
export function missingHandler(
  plan: Pick<Plan, 'target'>,
  liveHandlers: ReadonlySet<string> | null,
): string | null {
  const handler = handlerOf(plan);
  return handler !== null && liveHandlers !== null && !liveHandlers.has(handler) ? handler : null;
}

/** True if a claim must count the schedule's open runs before it starts another one. */
export function isCounted(plan: Pick<Plan, 'overlap' | 'maxConcurrentRuns' | 'dependsOn'>): boolean {
  return plan.overlap !== 'allow' || plan.maxConcurrentRuns !== null || plan.dependsOn !== null;
}
