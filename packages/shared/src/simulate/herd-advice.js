import { nextOccurrence } from '@carillon/recurrence';
import { momentOf } from '../decide-due.js';
import { peakOf } from './summarize.js';
/** The smallest number of starts in one second that counts as a herd. */
const SMALLEST_HERD = 10;
/** A jitter is enough if it leaves at most this share of the herd in one second. */
const ENOUGH = 0.1;
const JITTERS_MS = [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000];
/**
 * Advises on the second with the most starts that were on time, and on the second with the most starts after an outage.
 * The effect of a jitter is computed with the jitter function of the engine, not estimated.
 */
export function adviseOnHerds(schedules, runs) {
    const byKey = new Map(schedules.map((schedule) => [schedule.key, schedule]));
    const found = [];
    const onTime = runs.filter(({ isCaughtUp, deferrals, wasQueued }) => !isCaughtUp && deferrals === 0 && !wasQueued);
    const herd = herdOf(onTime);
    if (herd) {
        const members = herd.runs.flatMap((run) => {
            const schedule = byKey.get(run.schedule);
            return schedule ? [{ schedule, occurrenceAt: run.occurrenceAt }] : [];
        });
        found.push({
            kind: 'jitter',
            at: herd.at,
            perSecond: herd.runs.length,
            schedules: herd.keys,
            ...spread(members),
        });
    }
    const late = herdOf(runs.filter(({ isCaughtUp, deferrals }) => isCaughtUp || deferrals > 0));
    if (late) {
        const { at, keys } = late;
        const nothing = { jitterMs: null, perSecondAfter: null };
        found.push({ kind: 'catch_up', at, perSecond: late.runs.length, schedules: keys, ...nothing });
    }
    return found;
}
function herdOf(runs) {
    const peak = peakOf(runs);
    if (!peak || peak.perSecond < SMALLEST_HERD)
        return null;
    const isInPeak = ({ startedAt }) => startedAt !== null && startedAt >= peak.at && startedAt < peak.at + 1_000;
    const inPeak = runs.filter(isInPeak);
    const keys = [...new Set(inPeak.map(({ schedule }) => schedule))];
    return keys.length < 2 ? null : { at: peak.at, runs: inPeak, keys };
}
/** The smallest jitter that spreads the members enough, as far as the pace of their rules leaves room for it. */
function spread(members) {
    const roomMs = Math.min(...members.map(({ schedule, occurrenceAt }) => paceOf(schedule, occurrenceAt) / 2));
    let best = null;
    for (const jitterMs of JITTERS_MS) {
        if (jitterMs > roomMs)
            break;
        const starts = members.map(({ schedule, occurrenceAt }) => ({
            schedule: schedule.key,
            startedAt: momentOf(schedule.key, { jitterMs }, occurrenceAt).dueAt,
        }));
        const perSecondAfter = peakOf(starts)?.perSecond ?? 0;
        if (!best || perSecondAfter < best.perSecondAfter)
            best = { jitterMs, perSecondAfter };
        if (perSecondAfter <= members.length * ENOUGH)
            break;
    }
    return best ?? { jitterMs: null, perSecondAfter: null };
}
const paceOf = ({ timing }, occurrenceAt) => (nextOccurrence(timing, occurrenceAt) ?? Number.POSITIVE_INFINITY) - occurrenceAt;
//# sourceMappingURL=herd-advice.js.map