const iso = (at) => new Date(at).toISOString();
/** Explains in one sentence why an occurrence has neither a run nor a gap. */
export function explainWithoutRun(at, { schedule, changes, nowAt, }) {
    const cancellation = changes.findLast(({ action }) => action === 'schedule.cancelled');
    const { status, occurrenceAt, pausedBy, pausedAt, pauseNote, plan, runsTotal } = schedule;
    if (status === 'cancelled' && cancellation && at >= cancellation.at) {
        const when = iso(cancellation.at);
        return {
            status: 'cancelled',
            why: `cancelled: the schedule was cancelled by ${cancellation.actor} at ${when}`,
        };
    }
    const isPending = occurrenceAt !== null && at >= occurrenceAt;
    if (status === 'finished' || (status !== 'cancelled' && !isPending && at > nowAt)) {
        const limit = plan.maxRuns === null ? '' : `: it has completed its ${runsTotal} runs`;
        return { status: 'skipped', why: `not run, the schedule is finished${limit}` };
    }
    if (isPending && status === 'paused') {
        const since = pausedAt === null ? '' : ` at ${iso(pausedAt)}`;
        const note = pauseNote ? `, note: ${pauseNote}` : '';
        return { status: 'paused', why: `held: paused by ${pausedBy ?? 'an unknown key'}${since}${note}` };
    }
    if (isPending && at > nowAt)
        return { status: 'upcoming', why: 'in the future' };
    if (isPending)
        return { status: 'due', why: 'due, not claimed by a worker yet' };
    return { status: 'unknown', why: 'no record: the history of this time has been pruned' };
}
//# sourceMappingURL=explain-without-run.js.map