export const BREACH_KINDS = ['start', 'end', 'duration', 'success_rate'];
/**
 * Judges a schedule by its objectives. Time decides, not completion: an occurrence that has not started, or not ended,
 * by its deadline is a breach.
 */
export function judgeSlo({ slo, nowAt, isPaused, judgedUntil, runs, counts }) {
    const judged = [];
    let until = judgedUntil;
    let isSettledSoFar = true;
    let nextCheckAt = null;
    for (const run of runs) {
        const results = judgeRun(run, slo, nowAt).filter(({ deadlineAt }) => deadlineAt === null || !isPaused);
        for (const result of results) {
            const { deadlineAt } = result;
            judged.push({ ...result, run });
            if (deadlineAt !== null && deadlineAt > nowAt)
                nextCheckAt = Math.min(nextCheckAt ?? Number.POSITIVE_INFINITY, deadlineAt);
        }
        isSettledSoFar &&= hasEnded(run);
        if (isSettledSoFar)
            until = Math.max(until, Math.min(run.occurrenceAt, nowAt));
    }
    const verdicts = judged.flatMap((each) => verdictsOf(each, judged));
    if (slo.successRate && counts)
        verdicts.push(...judgeRate(slo.successRate, counts, nowAt));
    verdicts.sort((a, b) => a.at - b.at);
    return { verdicts, judgedUntil: until, nextCheckAt };
}
/**
 * The verdicts of one occurrence. A run that meets its objective late is no recovery while another one is still late:
 * the two are one breach, which ends with the last of them.
 */
function verdictsOf({ kind, events, run }, judged) {
    const { occurrenceAt } = run;
    const isLate = events.some(({ isBreached }) => isBreached);
    return events
        .filter(({ isBreached, at }) => isBreached || !isLate || !judged.some((other) => isLateAt(other, kind, at)))
        .map(({ isBreached, at }) => ({ kind, isBreached, at, occurrenceAt, run }));
}
/** True if at this instant the occurrence was late, and met its objective later or still may. */
function isLateAt({ kind, events, deadlineAt }, of, at) {
    const breachedAt = events.find(({ isBreached }) => isBreached)?.at;
    if (kind !== of || breachedAt === undefined || breachedAt > at)
        return false;
    const metAt = events.find(({ isBreached }) => !isBreached)?.at;
    return metAt === undefined ? deadlineAt !== null : metAt > at;
}
export const hasEnded = ({ status }) => status === 'succeeded' || status === 'failed' || status === 'skipped' || status === 'cancelled';
/** The reasons of skipped occurrences that count as missed. A skip by a person, a pause or an edit does not. */
const MISSED_REASONS = ['misfire', 'overlap', 'busy', 'dependency', 'queue_full'];
function judgeRun(run, slo, nowAt) {
    const wasMissed = run.status === 'skipped' && MISSED_REASONS.includes(run.reasonCode ?? '');
    if (run.status === 'cancelled' || (run.status === 'skipped' && !wasMissed))
        return [];
    const { dueAt, startedAt } = run;
    const { startWithinMs, startGraceMs, endWithinMs, endGraceMs, maxDurationMs } = slo;
    const endedAt = hasEnded(run) ? run.finishedAt : null;
    const results = [];
    if (startWithinMs !== null) {
        const deadlineAt = dueAt + startWithinMs + startGraceMs;
        results.push({ kind: 'start', ...judgeDeadline({ metAt: startedAt, deadlineAt, endedAt, nowAt }) });
    }
    if (endWithinMs !== null) {
        const deadlineAt = dueAt + endWithinMs + endGraceMs;
        const metAt = run.status === 'succeeded' ? endedAt : null;
        results.push({ kind: 'end', ...judgeDeadline({ metAt, deadlineAt, endedAt, nowAt }) });
    }
    if (maxDurationMs !== null && !wasMissed) {
        const deadlineAt = Math.max(startedAt ?? nowAt, dueAt) + maxDurationMs;
        const metAt = startedAt === null ? null : endedAt;
        results.push({
            kind: 'duration',
            ...judgeDeadline({ metAt, deadlineAt, endedAt: startedAt === null ? null : endedAt, nowAt }),
        });
    }
    return results;
}
function judgeDeadline({ metAt, deadlineAt, endedAt, nowAt }) {
    if (metAt !== null) {
        const met = { isBreached: false, at: metAt };
        const events = metAt <= deadlineAt ? [met] : [{ isBreached: true, at: deadlineAt }, met];
        return { events, deadlineAt: null };
    }
    // A run that has ended in another way can no longer meet the objective, so the breach does not wait for the deadline.
    if (endedAt !== null)
        return { events: [{ isBreached: true, at: Math.min(endedAt, deadlineAt) }], deadlineAt: null };
    const events = nowAt >= deadlineAt ? [{ isBreached: true, at: deadlineAt }] : [];
    return { events, deadlineAt };
}
/**
 * Over the last n runs, as many may fail as the percentage of n allows, also while fewer than n have ended. Over a
 * window, the share of successes among its runs counts.
 */
function judgeRate({ percent, last }, { succeeded, failed, latestFailure }, nowAt) {
    const total = succeeded + failed;
    const allowed = Math.floor(((last ?? total) * (100 - percent)) / 100 + 1e-9);
    const isBreached = failed > allowed;
    const occurrenceAt = latestFailure?.occurrenceAt ?? nowAt;
    return [{ kind: 'success_rate', isBreached, at: nowAt, occurrenceAt, run: null }];
}
//# sourceMappingURL=judge-slo.js.map