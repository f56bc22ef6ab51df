import { parseDuration } from '@carillon/recurrence';
import { heartbeatProblems, sloOf } from './slo/slo.js';
import { targetProblem } from './target-rules.js';
import { REDACTED, redactedProblem } from './webhook/redact.js';
import { hostProblem } from './webhook/vet-url.js';
/** The plan of a definition: the target and the policies, without the timing. */
export function draftPlan(input, defaults) {
    const target = input.target ?? defaults.target;
    if (target === null)
        return { ok: false, problems: [NO_TARGET] };
    const plan = planOf(input, target, defaults);
    const forbidden = defaults.owner && targetProblem(plan.target, defaults.owner);
    const misfit = defaults.payloadProblem?.(plan.target, input.payload);
    const problems = [
        ...hostProblems(plan, defaults.allowPrivateTargets),
        ...timeoutProblems(plan, defaults.maxOutgoingTimeoutMs),
        ...heartbeatProblems(plan),
        ...keyProblems(plan, defaults.sealHeader),
        ...(forbidden ? [forbidden] : []),
        ...(misfit ? [misfit] : []),
    ];
    if (problems.length > 0)
        return { ok: false, problems };
    const sealed = sealTarget(plan.target, defaults.sealHeader);
    return sealed.ok ? { ok: true, plan: { ...plan, target: sealed.target } } : sealed;
}
/** The API returns the code, which tells a missing field from a field with an invalid value. */
const NO_TARGET = {
    field: 'target',
    code: 'missing',
    message: 'is missing, and the project has no default target; expected one such as {"type":"webhook","url":"https://example.com/hook"}',
};
/**
 * A handler is the operator's own code and may take as long as it likes; a receiver outside may belong to an attacker.
 */
function timeoutProblems({ target, timeoutMs }, mostMs) {
    const isOutgoing = target.type === 'webhook' || target.type === 'call';
    if (!isOutgoing || mostMs === undefined || timeoutMs <= mostMs)
        return [];
    const message = `must be at most ${mostMs / 1_000} seconds for a target of type ${target.type}`;
    return [{ field: 'timeout', message }];
}
/** The ping URLs of a heartbeat are signed with the installation's key. */
function keyProblems({ target }, sealHeader) {
    if (target.type !== 'heartbeat' || sealHeader !== null)
        return [];
    return [{ field: 'target.type', message: 'a heartbeat needs CARILLON_ENCRYPTION_KEY, which is not set' }];
}
/** Encrypts the values of a target's headers. Without a function to do it, the target stays as it is. */
export function sealTarget(target, sealHeader) {
    if (target.type !== 'webhook')
        return { ok: true, target };
    const entries = Object.entries(target.headers);
    const [redacted] = entries.find(([, value]) => value === REDACTED) ?? [];
    if (redacted !== undefined)
        return { ok: false, problems: [redactedProblem(redacted)] };
    if (sealHeader === undefined || entries.length === 0)
        return { ok: true, target };
    if (sealHeader === null) {
        const message = 'cannot be kept: this installation has no CARILLON_ENCRYPTION_KEY';
        return { ok: false, problems: [{ field: 'target.headers', message }] };
    }
    const headers = Object.fromEntries(entries.map(([name, value]) => [name, sealHeader(value)]));
    return { ok: true, target: { ...target, headers } };
}
/**
 * Checks the hosts that can be refused by their spelling. The addresses that a name resolves to are checked on each
 * connection.
 */
function hostProblems({ target, onSuccess, onFailure }, allowPrivate) {
    const urls = { 'target.url': target.type === 'webhook' ? target.url : null, onSuccess, onFailure };
    return Object.entries(urls).flatMap(([field, url]) => {
        const message = url === null ? null : hostProblem(url, { allowPrivate });
        return message === null ? [] : [{ field, message }];
    });
}
/**
 * The defaults of the fields that a request leaves out, for the documentation. `retry` has those of an installation
 * that sets none of its own.
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
};
const TIMEOUT_MS = 15_000;
const MAX_DELAY_MS = 3_600_000;
const GRACE_MS = 60_000;
const msOr = (text, usualMs) => typeof text === 'string' ? parseDuration(text) : usualMs;
function planOf(input, target, defaults) {
    const { retry, misfire, dependsOn } = input;
    const baseDelayMs = msOr(retry?.baseDelay, defaults.baseDelayMs);
    return {
        target,
        timeoutMs: msOr(input.timeout, TIMEOUT_MS),
        retry: {
            maxAttempts: retry?.maxAttempts ?? defaults.maxAttempts,
            baseDelayMs,
            maxDelayMs: Math.max(baseDelayMs, msOr(retry?.maxDelay, MAX_DELAY_MS)),
            jitter: retry?.jitter ?? true,
        },
        misfire: {
            policy: misfire?.policy ?? 'once',
            graceMs: msOr(misfire?.grace, GRACE_MS),
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
//# sourceMappingURL=draft-plan.js.map