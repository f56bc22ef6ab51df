import { formatDuration, parseDuration } from '@carillon/recurrence';
/** The default objective of a heartbeat: each occurrence must succeed, because a heartbeat exists to be watched. */
const EVERY_PING = {
    startWithinMs: null,
    startGraceMs: 0,
    endWithinMs: null,
    endGraceMs: 0,
    maxDurationMs: null,
    successRate: { percent: 100, last: 1, windowMs: null },
};
const ms = (text) => (text === undefined ? null : parseDuration(text));
/** The objectives that a request asks for. */
export function sloOf({ slo, target }) {
    if (!slo)
        return target?.type === 'heartbeat' ? EVERY_PING : null;
    const rate = slo.successRate;
    return {
        startWithinMs: ms(slo.startWithin),
        startGraceMs: ms(slo.startGrace) ?? 0,
        endWithinMs: ms(slo.endWithin),
        endGraceMs: ms(slo.endGrace) ?? 0,
        maxDurationMs: ms(slo.maxDuration),
        successRate: rate ? { percent: rate.percent, last: rate.last ?? null, windowMs: ms(rate.window) } : null,
    };
}
/** The graces of a heartbeat say when its start and its end are late, so objectives for them are refused. */
export function heartbeatProblems({ target, slo }) {
    if (target.type !== 'heartbeat' || !slo)
        return [];
    const timed = {
        startWithin: ['target.startGrace', slo.startWithinMs],
        endWithin: ['target.grace', slo.endWithinMs],
        maxDuration: ['target.grace', slo.maxDurationMs],
    };
    return Object.entries(timed).flatMap(([field, [instead, value]]) => value === null ? [] : [{ field: `slo.${field}`, message: `a heartbeat has ${instead} for this` }]);
}
/** The objectives in the form of a request. */
export function presentSlo(slo) {
    if (!slo)
        return null;
    const { startWithinMs, startGraceMs, endWithinMs, endGraceMs, maxDurationMs, successRate } = slo;
    return {
        ...(startWithinMs === null ? {} : { startWithin: formatDuration(startWithinMs) }),
        ...(startGraceMs === 0 ? {} : { startGrace: formatDuration(startGraceMs) }),
        ...(endWithinMs === null ? {} : { endWithin: formatDuration(endWithinMs) }),
        ...(endGraceMs === 0 ? {} : { endGrace: formatDuration(endGraceMs) }),
        ...(maxDurationMs === null ? {} : { maxDuration: formatDuration(maxDurationMs) }),
        ...(successRate === null ? {} : { successRate: presentRate(successRate) }),
    };
}
const presentRate = ({ percent, last, windowMs }) => ({
    percent,
    ...(last === null ? {} : { last }),
    ...(windowMs === null ? {} : { window: formatDuration(windowMs) }),
});
//# sourceMappingURL=slo.js.map