/** The causes of deferrals in words. A deferral with any other code is explained by its reason. */
const HOLDS = {
    circuit_open: 'by an open circuit',
    project_rate: 'by the rate limit of its project',
    project_busy: 'by the concurrency limit of its project',
    origin_busy: 'by the concurrency limit of its origin',
    names_busy: 'by the limit on name lookups',
    handler_missing: 'because its handler was missing',
    postgres_unavailable: 'because Postgres did not answer',
};
const times = (count) => (count === 1 ? 'once' : `${count} times`);
export const describeDeferral = ({ count, reasonCode, reason }) => `deferred ${times(count)} ${HOLDS[reasonCode] ?? 'by the engine'} (${reason})`;
export function describeAttempt({ number, outcome, error }) {
    switch (outcome) {
        case null:
            return `attempt ${number} is in progress`;
        case 'succeeded':
            return `attempt ${number} succeeded`;
        case 'failed':
            return `attempt ${number} failed (${error ?? 'no reason was recorded'})`;
        case 'unknown':
            return `attempt ${number} has an unknown result (${error ?? 'its worker was lost'})`;
        case 'cancelled':
            return `attempt ${number} was cancelled`;
        case 'handed_back':
            return `attempt ${number} was handed back by a worker that stopped`;
    }
}
/** A duration in the unit that a person would use. */
export function inWords(ms) {
    if (ms < 10_000)
        return `${ms} ms`;
    if (ms < 600_000)
        return `${Math.round(ms / 1_000)} s`;
    if (ms < 7_200_000)
        return `${Math.round(ms / 60_000)} min`;
    if (ms < 172_800_000)
        return `${Math.round(ms / 3_600_000)} h`;
    return `${Math.round(ms / 86_400_000)} days`;
}
//# sourceMappingURL=words.js.map