import { firstOccurrence, isCalendarName, nextOccurrence, parseTiming, RecentCache, timingKey, } from '@carillon/recurrence';
import { momentOf } from './decide-due.js';
import { draftPlan } from './draft-plan.js';
/** Turns validated input of a client into a definition with all defaults filled in. */
export function draftSchedule(input, { key, nowAt, defaults, calendars = NO_CALENDARS, }) {
    const timed = draftTiming(input, nowAt, calendars);
    if (!timed.ok)
        return timed;
    const made = draftPlan(input, defaults);
    if (!made.ok)
        return made;
    const { plan } = made;
    const { name, tags } = labelsOf(input);
    return {
        ok: true,
        drafted: {
            name,
            tags,
            rule: input.rule,
            timing: timed.timing,
            plan,
            first: momentOf(key, plan, timed.firstAt),
            warnings: timed.warnings,
        },
    };
}
const NO_CALENDARS = new Map();
/** The names of the calendars in these inputs. The inputs are not validated yet, so any shape must be expected. */
export function calendarsNamedBy(inputs) {
    const names = new Set();
    for (const input of inputs) {
        const { exclusions, calendars } = (input ?? {});
        for (const list of [exclusions, calendars])
            if (Array.isArray(list))
                for (const name of list)
                    if (isCalendarName(name))
                        names.add(name);
    }
    return [...names];
}
/** Parsed timings of the last hour. Parsing is most of the work of a draft, and many schedules share their rule. */
const readLately = new RecentCache({
    maxEntries: 1_000,
    maxBytes: 8_000_000,
    bytesOf: (key) => 500 + 6 * key.length,
});
const HOUR_MS = 3_600_000;
function draftTiming(input, nowAt, calendars) {
    const { rule, timezone, startAt, endAt, dst, leapDay, exclusions, onExcluded } = input;
    // A calendar may change within the hour, so timings that refer to one are not cached.
    const isFixed = rule.cron === undefined && rule.rrule === undefined;
    const namesCalendar = (input.calendars?.length ?? 0) + (input.businessDays?.length ?? 0) > 0;
    if (isFixed || namesCalendar || calendars.size > 0)
        return readTimingOf(input, nowAt, calendars);
    const fields = [rule, timezone, startAt, endAt, dst, leapDay, exclusions, onExcluded];
    const known = readLately.get(`${Math.floor(nowAt / HOUR_MS)} ${JSON.stringify(fields)}`, () => {
        const read = readTimingOf(input, nowAt, calendars);
        return read.ok && read.timing.anchorAt === 0 && read;
    });
    const firstAt = known ? nextOccurrence(known.timing, nowAt) : null;
    return known && firstAt !== null ? { ok: true, ...known, firstAt } : readTimingOf(input, nowAt, calendars);
}
function readTimingOf(input, nowAt, calendars) {
    const parsed = parseTiming(input, { anchorAt: nowAt, calendars });
    if (!parsed.ok)
        return parsed;
    const firstAt = firstOccurrence(parsed.timing);
    if (firstAt === null)
        throw new Error('a timing that was accepted has no occurrence');
    return { ok: true, timing: sharedTiming(parsed.timing), firstAt, warnings: parsed.warnings };
}
export function labelsOf({ name, tags, }) {
    return { name: name ?? null, tags: [...new Set(tags ?? [])].sort() };
}
/** Leaves the anchor out if the rule does not depend on it, so that many schedules share one text and one parse. */
function sharedTiming(timing) {
    const unanchored = { ...timing, anchorAt: 0 };
    return timingKey(unanchored) === timingKey(timing) ? unanchored : timing;
}
//# sourceMappingURL=draft-schedule.js.map