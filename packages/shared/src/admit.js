/**
 * Maximum number of queued runs of a schedule. A schedule that reaches it can't keep up, so further runs are skipped.
 */
const LONGEST_QUEUE = 1_000;
/** Decides by the schedule's policies whether another run may start beside the open runs. */
export function admitRun(plan, open, isDependencyMet) {
    if (!isDependencyMet) {
        const reason = `${plan.dependsOn?.schedule} has not succeeded within the time that this schedule depends on`;
        return { kind: 'skip', reasonCode: 'dependency', reason };
    }
    if (open.started + open.queued < concurrentRuns(plan))
        return { kind: 'start' };
    if (plan.overlap === 'cancel')
        return { kind: 'replace' };
    if (plan.overlap === 'skip') {
        return { kind: 'skip', reasonCode: 'overlap', reason: 'the run before it was still going on' };
    }
    if (open.queued < LONGEST_QUEUE)
        return { kind: 'queue' };
    return { kind: 'skip', reasonCode: 'queue_full', reason: `${LONGEST_QUEUE} runs were queued before it` };
}
/** Maximum number of runs of the schedule that may be started at the same time. */
export function concurrentRuns(plan) {
    return plan.maxConcurrentRuns ?? (plan.overlap === 'allow' ? Number.POSITIVE_INFINITY : 1);
}
//# sourceMappingURL=admit.js.map