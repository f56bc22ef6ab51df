import { countOccurrences, jitterMs, lastOccurrence, nextOccurrence, } from '@carillon/recurrence';
/** Decides by the misfire policy what happens at `nowAt` to a schedule that is due. */
export function decideDue(schedule, nowAt) {
    try {
        const isLate = nowAt - schedule.dueAt > schedule.plan.misfire.graceMs;
        const { run, passed, after } = isLate ? decideLate(schedule, nowAt) : decideOnTime(schedule);
        const isLast = run !== null && schedule.plan.maxRuns !== null && schedule.runsTotal + 1 >= schedule.plan.maxRuns;
        return { kind: 'move', run, passed, next: isLast ? null : momentAfter(schedule, after) };
    }
    catch (error) {
        return { kind: 'broken', reason: `the rule could not be evaluated: ${error.message}` };
    }
}
/** The next occurrence strictly after an instant, and when it falls due. */
export function momentAfter({ key, timing, plan }, afterAt) {
    const occurrenceAt = nextOccurrence(timing, afterAt);
    return occurrenceAt === null ? null : momentOf(key, plan, occurrenceAt);
}
export function momentOf(key, plan, occurrenceAt) {
    return {
        occurrenceAt,
        dueAt: occurrenceAt + (plan.jitterMs > 0 ? jitterMs(key, occurrenceAt, plan.jitterMs) : 0),
    };
}
function decideOnTime({ timing, plan, occurrenceAt, dueAt }) {
    const run = { occurrenceAt, dueAt };
    // A reschedule may have moved this occurrence past later ones. The later ones are overtaken, not missed.
    const wasPutOff = dueAt > occurrenceAt + plan.jitterMs;
    if (!wasPutOff)
        return { run, passed: null, after: occurrenceAt };
    return { run, passed: stretchAfter(timing, occurrenceAt, dueAt), after: dueAt };
}
function stretchAfter(timing, afterAt, untilAt) {
    const fromAt = nextOccurrence(timing, afterAt);
    if (fromAt === null || fromAt > untilAt)
        return null;
    return {
        fromAt,
        toAt: lastOccurrence(timing, afterAt, untilAt) ?? fromAt,
        count: countOccurrences(timing, afterAt, untilAt),
        reasonCode: 'overtaken',
        reason: 'the occurrence before it was rescheduled to a later time',
    };
}
function decideLate(schedule, nowAt) {
    const { timing, plan, occurrenceAt, dueAt } = schedule;
    switch (plan.misfire.policy) {
        case 'once': {
            const latestAt = lastOccurrence(timing, occurrenceAt, nowAt) ?? occurrenceAt;
            if (latestAt === occurrenceAt)
                return { run: { occurrenceAt, dueAt }, passed: null, after: occurrenceAt };
            return {
                run: { occurrenceAt: latestAt, dueAt: latestAt },
                passed: missedBefore(timing, occurrenceAt, latestAt, 'missed; the latest missed one was run instead'),
                after: latestAt,
            };
        }
        case 'skip': {
            const untilAt = nowAt - plan.misfire.graceMs;
            const latestAt = lastOccurrence(timing, occurrenceAt, untilAt) ?? occurrenceAt;
            return {
                run: null,
                passed: missedBefore(timing, occurrenceAt, latestAt + 1, 'missed; skipped by policy'),
                after: latestAt,
            };
        }
        case 'all': {
            const oldestKeptAt = oldestOfLatest(timing, occurrenceAt, nowAt, plan.misfire.limit);
            if (oldestKeptAt === occurrenceAt)
                return { run: { occurrenceAt, dueAt }, passed: null, after: occurrenceAt };
            return {
                run: { occurrenceAt: oldestKeptAt, dueAt: oldestKeptAt },
                passed: missedBefore(timing, occurrenceAt, oldestKeptAt, `missed; more than the ${plan.misfire.limit} that policy runs`),
                after: oldestKeptAt,
            };
        }
    }
}
/** The missed occurrences from `fromAt` (included) to `beforeAt` (excluded). */
function missedBefore(timing, fromAt, beforeAt, reason) {
    return stretchFrom(timing, { fromAt, untilAt: beforeAt - 1, reasonCode: 'misfire', reason });
}
/** The stretch of occurrences from `fromAt` (included) until an instant. */
export function stretchFrom(timing, { fromAt, untilAt, ...why }) {
    const toAt = lastOccurrence(timing, fromAt, untilAt) ?? fromAt;
    return { fromAt, toAt, count: 1 + countOccurrences(timing, fromAt, toAt), ...why };
}
/** The oldest of the latest `limit` occurrences between `fromAt` and now. */
function oldestOfLatest(timing, fromAt, nowAt, limit) {
    if (1 + countOccurrences(timing, fromAt, nowAt) <= limit)
        return fromAt;
    let oldestAt = nowAt + 1;
    for (let kept = 0; kept < limit; kept++)
        oldestAt = lastOccurrence(timing, fromAt, oldestAt - 1) ?? fromAt;
    return oldestAt;
}
//# sourceMappingURL=decide-due.js.map