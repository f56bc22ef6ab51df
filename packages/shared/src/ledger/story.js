import { encodeRunId } from '../run-id.js';
import { describeAttempt, describeDeferral } from './words.js';
/** The prefix of the actor of edits that move an occurrence, because new time zone data computes it differently. */
export const TZDATA_ACTOR = 'time zone data ';
export const step = (kind, at, text, more = {}) => ({
    at,
    until: null,
    kind,
    text,
    actor: null,
    attempt: null,
    outcome: null,
    reasonCode: null,
    count: 1,
    version: null,
    ...more,
});
/**
 * A delivery may wait in memory this long before it is deferred. If the first deferral came later than that after the
 * run was recorded, the run was queued first.
 */
const LONGEST_CLAIM_MS = 30_000;
/** Everything that happened to a run, in order. */
export function storyOfRun(sources) {
    const { run, attempts, deferrals } = sources;
    const steps = [
        ...beginningOf(sources),
        ...deferrals.map((deferral) => deferralStep(deferral, attempts, run)),
        ...attempts.map(attemptStep),
        ...changeSteps(sources),
        ...endOf(run),
    ];
    return inOrder(steps);
}
/** Steps of one instant keep the order in which they were listed. */
export const inOrder = (steps) => steps.toSorted((a, b) => a.at - b.at);
/**
 * The step in which a rule named the occurrence. If new time zone data made this version of the rule, the step says so.
 */
export function namedStep(at, version, changes) {
    const author = changes.find(({ action, detail }) => action === 'schedule.edited' && detail?.version === version)?.actor;
    const by = author?.startsWith(TZDATA_ACTOR) ? `, computed with ${author}` : '';
    return step('named', at, `named by version ${version} of the rule${by}`, { version });
}
function beginningOf({ run, attempts, deferrals, changes }) {
    const { origin, occurrenceAt, dueAt, recordedAt, version, status } = run;
    const steps = [];
    if (origin === 'rule') {
        steps.push(namedStep(occurrenceAt, version, changes));
        if (dueAt !== occurrenceAt || status !== 'skipped')
            steps.push(step('due', dueAt, 'due'));
    }
    if (origin === 'trigger') {
        const runId = encodeRunId(run);
        const by = changes.find(({ action, detail }) => action === 'schedule.triggered' && detail?.runId === runId);
        const who = by ? `triggered by ${by.actor}` : 'triggered by hand';
        steps.push(step('triggered', recordedAt, who, { actor: by?.actor ?? null, version }));
    }
    if (origin === 'backfill') {
        // The entry of the audit log is written a moment after the runs.
        const by = changes.find(({ action, at }) => action === 'schedule.backfilled' && at >= recordedAt);
        const who = by ? `backfilled by ${by.actor}` : 'backfilled';
        steps.push(step('backfilled', recordedAt, who, { actor: by?.actor ?? null, version }));
    }
    const firstAt = Math.min(attempts[0]?.claimedAt ?? Number.POSITIVE_INFINITY, deferrals[0]?.fromAt ?? Number.POSITIVE_INFINITY);
    const wasQueued = origin !== 'rule' || status === 'queued' || firstAt - recordedAt > (deferrals[0] ? LONGEST_CLAIM_MS : 0);
    if (status === 'skipped')
        return steps;
    if (wasQueued)
        steps.push(step('queued', recordedAt, 'queued: it waits for its turn'));
    else if (Number.isFinite(firstAt) || run.claimedAt !== null)
        steps.push(step('claimed', recordedAt, `claimed${workerOf(attempts[0], recordedAt)}`));
    return steps;
}
const workerOf = (first, recordedAt) => first?.claimedAt === recordedAt && first.workerId !== null ? ` by worker ${first.workerId}` : '';
function deferralStep(deferral, attempts, run) {
    const { attempt, fromAt, reasonCode, count } = deferral;
    const begun = attempts.find(({ number }) => number >= attempt)?.claimedAt ?? null;
    const endedAt = begun ?? endedAtOf(run);
    const isOver = endedAt !== null || run.reasonCode !== reasonCode;
    const until = isOver ? Math.min(deferral.untilAt, endedAt ?? deferral.untilAt) : null;
    return step('deferred', fromAt, describeDeferral(deferral), { until, attempt, reasonCode, count });
}
function attemptStep(attempt) {
    const { number, claimedAt, finishedAt, outcome, errorCode } = attempt;
    return step('attempt', claimedAt ?? 0, describeAttempt(attempt), {
        until: finishedAt,
        attempt: number,
        outcome: outcome ?? 'open',
        reasonCode: errorCode,
    });
}
/** When the run ended; null while it is open. A waiting run has the end of its latest attempt in `finishedAt`. */
const endedAtOf = ({ status, finishedAt }) => status === 'queued' || status === 'retrying' || status === 'running' ? null : finishedAt;
function endOf(run) {
    const { status, reason, reasonCode, error, dueAt } = run;
    const finishedAt = endedAtOf(run);
    if (finishedAt === null || status === 'queued' || status === 'retrying' || status === 'running')
        return [];
    const why = reason ?? error;
    const since = status === 'succeeded' ? `, ${Math.max(0, finishedAt - dueAt)} ms after it was due` : '';
    const text = `${status}${since}${why && status !== 'succeeded' ? `: ${why}` : ''}`;
    return [step(status, finishedAt, text, { reasonCode })];
}
const KIND_OF_ACTION = {
    'schedule.paused': 'paused',
    'schedule.resumed': 'resumed',
    'schedule.edited': 'edited',
    'schedule.rescheduled': 'rescheduled',
    'schedule.next_skipped': 'skipped',
    'schedule.cancelled': 'cancelled',
    'run.cancelled': 'cancelled',
    'run.replayed': 'replayed',
    'run.reported': 'reported',
};
/** The changes that concern one run: those that name it, and those of its schedule while it was due and open. */
function changeSteps({ run, changes, nowAt }) {
    const runId = encodeRunId(run);
    const span = { fromAt: Math.min(run.dueAt, run.recordedAt), untilAt: endedAtOf(run) ?? nowAt };
    return changes.flatMap((change) => {
        const { action, detail } = change;
        if (action === 'run.cancelled' || action === 'run.replayed' || action === 'run.reported')
            return detail?.run === runId ? [changeStep(change)] : [];
        if (action === 'schedule.rescheduled' || action === 'schedule.next_skipped')
            return namesOccurrence(change, run) ? [changeStep(change)] : [];
        return KIND_OF_ACTION[action] && (isDuring(change, span) || isPauseOf(change, run, changes))
            ? [changeStep(change)]
            : [];
    });
}
const isDuring = ({ at }, { fromAt, untilAt }) => at >= fromAt && at <= untilAt;
export const namesOccurrence = ({ detail }, { origin, occurrenceAt }) => origin === 'rule' && detail?.occurrenceAt === new Date(occurrenceAt).toISOString();
/** True if the change is the pause in which a skipped occurrence fell: the last one before the run was recorded. */
function isPauseOf(change, run, changes) {
    if (run.reasonCode !== 'paused' || change.action !== 'schedule.paused')
        return false;
    const last = changes.findLast(({ action, at }) => action === 'schedule.paused' && at <= run.recordedAt);
    return last === change;
}
const REPORTS = { start: 'its start', success: 'a success', fail: 'a failure' };
export function changeStep({ at, actor, action, detail }) {
    const kind = KIND_OF_ACTION[action] ?? 'edited';
    const version = kind === 'edited' && typeof detail?.version === 'number' ? detail.version : null;
    const note = typeof detail?.note === 'string' && detail.note !== '' ? ` (note: ${detail.note})` : '';
    if (kind === 'reported')
        return step(kind, at, `the job reported ${REPORTS[String(detail?.kind)] ?? 'something'}${note}`, {
            actor,
        });
    const to = kind === 'rescheduled' && typeof detail?.to === 'string' ? ` (to ${detail.to})` : '';
    const made = version === null ? '' : ` (version ${version} holds from here on)`;
    const what = action === 'schedule.cancelled' ? 'its schedule was cancelled' : kind;
    return step(kind, at, `${what} by ${actor}${to}${note}${made}`, { actor, version });
}
//# sourceMappingURL=story.js.map