export type RunOrigin = 'rule' | 'trigger' | 'backfill';
export interface RunIdentity {
    scheduleId: number;
    occurrenceAt: number;
    origin: RunOrigin;
}
/** The public id of a run encodes its identity, so that no extra index is needed to find it. */
export declare function encodeRunId({ scheduleId, occurrenceAt, origin }: RunIdentity): string;
export declare function decodeRunId(text: string): RunIdentity | null;
/**
 * Names one attempt to the receiver: `<run>-<attempt>-<random>`. The last part is derived from the epoch, which is
 * unique to a claim. So the key is unique, and every process computes the same one without a column for it.
 */
export declare function attemptKey(runId: string, attempt: number, epoch: number): string;
