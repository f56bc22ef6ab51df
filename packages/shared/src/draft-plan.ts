import { type Problem, parseDuration } from '@carillon/recurrence';
import type { z } from 'zod';
import type { ScheduleInput } from './contracts/schedule.js';
import type { Target as TargetSchema } from './contracts/target.js';
import type { Plan, Target } from './plan.js';
import { heartbeatProblems, sloOf } from './slo/slo.js';
import { type TargetOwner, targetProblem } from './target-rules.js';
import { REDACTED, redactedProblem } from './webhook/redact.js';
import { hostProblem } from './webhook/vet-url.js';

/** The defaults for fields that a schedule leaves out. */
export interface ScheduleDefaults {
  /** The project's default target; null if the project has none, so that a schedule must name its target. */
  target: z.infer<typeof TargetSchema> | null;
  maxAttempts: number;
  baseDelayMs: number;
  /** True if webhooks may go to this machine and its network. */
  allowPrivateTargets: boolean;
  /** False if this installation runs without Redis and so has no queues (default: true). */
  hasQueues?: boolean;
  /**
   * Maximum time-out of a webhook or a phone call (default: no limit). Until a delivery ends, it takes up one of the
   * concurrent runs of a worker.
   */
  maxOutgoingTimeoutMs?: number;
  /**
   * The project, whose limits decide which targets are allowed. If absent, every target is allowed, because the caller
   * has checked the target before.
   */
  owner?: TargetOwner;
  /**
   * Returns the problem of a payload that does not fit the handler, if this process knows the schema of the handler.
   */
  payloadProblem?: (target: Target, payload: unknown) => Problem | null;
  /**
   * Encrypts a header value, unless it is already encrypted. Null if there is no encryption key. If undefined, headers
   * stay as they are.
   */
  sealHeader?: ((value: string) => string) | null;
}

/** The plan of a definition: the target and the policies, without the timing. */
export function draftPlan(
  input: Omit<ScheduleInput, 'rule'>,
  defaults: ScheduleDefaults,
): { ok: true; plan: Plan } | { ok: false; problems: Problem[] } {
  const target = input.target ?? defaults.target;
  if (target === null) return { ok: false, problems: [NO_TARGET] };
  const plan = planOf(input, target, defaults);
  const forbidden = defaults.owner && targetProblem(plan.target, defaults.owner);
  const misfit = defaults.payloadProblem?.(plan.target, input.payload);
  const problems = [
    ...hostProblems(plan, defaults.allowPrivateTargets),
    ...timeoutProblems(plan, defaults.maxOutgoingTimeoutMs),
    ...heartbeatProblems(plan),
    ...keyProblems(plan, defaults.sealHeader),
    ...queueProblems(plan, defaults.hasQueues),
    ...(forbidden ? [forbidden] : []),
    ...(misfit ? [misfit] : []),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const sealed = sealTarget(plan.target, defaults.sealHeader);
  return sealed.ok ? { ok: true, plan: { ...plan, target: sealed.target } } : sealed;
}

/** The API returns the code, so that clients can distinguish a missing field from an invalid value. */
const NO_TARGET = {
  field: 'target',
  code: 'missing',
  message:
    'is missing, and the project has no default target; expected one such as {"type":"webhook","url":"https://example.com/hook"}',
};

/**
 * Limits the time-out of webhooks and phone calls, because the receiver may belong to an attacker who answers slowly to
 * keep workers busy. Handlers have no limit, because they are the operator's own code.
 */
function timeoutProblems({ target, timeoutMs }: Plan, maxMs: number | undefined): Problem[] {
  const isOutgoing = target.type === 'webhook' || target.type === 'call';
  if (!isOutgoing || maxMs === undefined || timeoutMs <= maxMs) return [];
  const message = `must be at most ${maxMs / 1_000} seconds for a target of type ${target.type}`;
  return [{ field: 'timeout', message }];
}

/**
 * A job reports to its heartbeat by URLs that are signed with the installation's encryption key. So a heartbeat needs
 * that key.
 */
function keyProblems({ target }: Plan, sealHeader: ScheduleDefaults['sealHeader']): Problem[] {
  if (target.type !== 'heartbeat' || sealHeader !== null) return [];
  return [{ field: 'target.type', message: 'a heartbeat needs CARILLON_ENCRYPTION_KEY, which is not set' }];
}

function queueProblems({ target }: Plan, hasQueues = true): Problem[] {
  if (target.type !== 'queue' || hasQueues) return [];
  const message =
    'a target of type queue needs Redis, and this installation runs without it (REDIS_URL=none); use a webhook or a handler';
  return [{ field: 'target.type', message }];
}

/** Encrypts the values of a target's headers. If `sealHeader` is undefined, the target stays as it is. */
export function sealTarget(
  target: Target,
  sealHeader: ScheduleDefaults['sealHeader'],
): { ok: true; target: Target } | { ok: false; problems: Problem[] } {
  if (target.type !== 'webhook') return { ok: true, target };
  const entries = Object.entries(target.headers);
  const [redacted] = entries.find(([, value]) => value === REDACTED) ?? [];
  if (redacted !== undefined) return { ok: false, problems: [redactedProblem(redacted)] };
  if (sealHeader === undefined || entries.length === 0) return { ok: true, target };
  if (sealHeader === null) {
    const message = 'cannot be stored: this installation has no CARILLON_ENCRYPTION_KEY';
    return { ok: false, problems: [{ field: 'target.headers', message }] };
  }
  const headers = Object.fromEntries(entries.map(([name, value]) => [name, sealHeader(value)]));
  return { ok: true, target: { ...target, headers } };
}

/**
 * Refuses hosts whose text alone shows that a webhook may not reach them. The addresses to which a name resolves are
 * checked on each connection.
 */
function hostProblems({ target, onSuccess, onFailure }: Plan, allowPrivate: boolean): Problem[] {
  const urls = { 'target.url': target.type === 'webhook' ? target.url : null, onSuccess, onFailure };
  return Object.entries(urls).flatMap(([field, url]) => {
    const message = url === null ? null : hostProblem(url, { allowPrivate });
    return message === null ? [] : [{ field, message }];
  });
}

/**
 * The defaults of the fields that a request leaves out, for the documentation. The values of `retry` apply if the
 * installation does not configure its own.
 */
export const SCHEDULE_DEFAULTS = {
  name: null,
  tags: [],
  timezone: 'UTC',
  startAt: null,
  endAt: null,
  maxRuns: null,
  jitter: null,
  dst: { gap: 'shift', overlap: 'first' },
  exclusions: [],
  misfire: { policy: 'once', grace: 'PT1M', limit: 100 },
  overlap: 'allow',
  maxConcurrentRuns: null,
  dependsOn: null,
  retry: { maxAttempts: 3, baseDelay: 'PT1M', maxDelay: 'PT1H', jitter: true },
  timeout: 'PT15S',
  pauseAfterFailures: null,
  onSuccess: null,
  onFailure: null,
  payload: null,
} as const;

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_DELAY_MS = 3_600_000;
const DEFAULT_GRACE_MS = 60_000;

const msOr = (text: string | null | undefined, usualMs: number) =>
  typeof text === 'string' ? (parseDuration(text) as number) : usualMs;

function planOf(input: Omit<ScheduleInput, 'rule'>, target: Target, defaults: ScheduleDefaults): Plan {
  const { retry, misfire, dependsOn } = input;
  const baseDelayMs = msOr(retry?.baseDelay, defaults.baseDelayMs);
  return {
    target,
    timeoutMs: msOr(input.timeout, DEFAULT_TIMEOUT_MS),
    retry: {
      maxAttempts: retry?.maxAttempts ?? defaults.maxAttempts,
      baseDelayMs,
      maxDelayMs: Math.max(baseDelayMs, msOr(retry?.maxDelay, DEFAULT_MAX_DELAY_MS)),
      jitter: retry?.jitter ?? true,
    },
    misfire: {
      policy: misfire?.policy ?? 'once',
      graceMs: msOr(misfire?.grace, DEFAULT_GRACE_MS),
      limit: misfire?.limit ?? 100,
    },
    overlap: input.overlap ?? 'allow',
    maxConcurrentRuns: input.maxConcurrentRuns ?? null,
    dependsOn: dependsOn ? { schedule: dependsOn.schedule, withinMs: msOr(dependsOn.within, 0) } : null,
    maxRuns: input.maxRuns ?? null,
    jitterMs: msOr(input.jitter, 0),
    pauseAfterFailures: input.pauseAfterFailures ?? null,
    onSuccess: input.onSuccess ?? null,
    onFailure: input.onFailure ?? null,
    hasSecret: typeof input.secret === 'string',
    slo: sloOf({ slo: input.slo, target }),
  };
}
