const LETTERS = { rule: 'r', trigger: 't', backfill: 'b' };
const ORIGINS = { r: 'rule', t: 'trigger', b: 'backfill' };
const PATTERN = /^run_([rtb])([0-9a-z]{1,11})_(-?[0-9a-z]{1,10})$/;
/** The public id of a run encodes its identity, so that no extra index is needed to find it. */
export function encodeRunId({ scheduleId, occurrenceAt, origin }) {
    return `run_${LETTERS[origin]}${scheduleId.toString(36)}_${occurrenceAt.toString(36)}`;
}
export function decodeRunId(text) {
    const match = PATTERN.exec(text);
    if (!match)
        return null;
    const identity = {
        scheduleId: Number.parseInt(match[2], 36),
        occurrenceAt: Number.parseInt(match[3], 36),
        origin: ORIGINS[match[1]],
    };
    const isInstant = Math.abs(identity.occurrenceAt) <= 8.64e15;
    // Only the canonical spelling is valid: a receiver that deduplicates by id must never see two texts for one run.
    return isInstant && Number.isSafeInteger(identity.scheduleId) && encodeRunId(identity) === text
        ? identity
        : null;
}
/**
 * Names one attempt to the receiver: `<run>-<attempt>-<random>`. The last part is derived from the epoch, which is
 * unique to a claim. So the key is unique, and every process computes the same one without a column for it.
 */
export function attemptKey(runId, attempt, epoch) {
    return `${runId}-${attempt}-${scramble(epoch)}`;
}
/** A bijection on 64 bits (splitmix64): distinct epochs stay distinct but do not look alike. */
function scramble(epoch) {
    let z = (BigInt(epoch) * 0x9e3779b97f4a7c15n) & MASK;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return (z ^ (z >> 31n)).toString(36);
}
const MASK = (1n << 64n) - 1n;
//# sourceMappingURL=run-id.js.map