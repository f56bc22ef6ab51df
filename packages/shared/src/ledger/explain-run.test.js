import { describe, expect, it } from 'vitest';
import { explainRun } from './explain-run.js';
import { storyOfRun } from './story.js';
const DUE = Date.parse('2026-11-16T09:00:00Z');
const iso = (at) => new Date(at).toISOString();
const RUN = {
    scheduleId: 1,
    occurrenceAt: DUE,
    origin: 'rule',
    status: 'succeeded',
    version: 1,
    dueAt: DUE,
    recordedAt: DUE + 4,
    claimedAt: DUE + 4,
    finishedAt: DUE + 50,
    attempt: 1,
    replays: 0,
    latenessMs: 12,
    nextAttemptAt: null,
    error: null,
    reasonCode: null,
    reason: null,
};
const failure = (number, at, error = 'the receiver answered 503') => ({
    number,
    workerId: 3,
    claimedAt: at,
    finishedAt: at + 10,
    outcome: 'failed',
    errorCode: 'http_503',
    error,
});
const explain = (more, attempts = []) => {
    const run = { ...RUN, ...more };
    return explainRun(run, storyOfRun({ run, attempts, deferrals: [], changes: [], nowAt: DUE + 60_000 }), null);
};
describe('explainRun', () => {
    it('an ordinary success is explained by its lateness alone', () => {
        expect(explain({})).toBe('ran 12 ms late');
    });
    it('the explanation of a failed run gives the last error once, followed by the errors before it', () => {
        const attempts = [failure(1, DUE, 'connection refused'), failure(2, DUE + 1_000)];
        const failed = { status: 'failed', attempt: 2, error: 'the receiver answered 503' };
        expect(explain(failed, attempts)).toBe(`began 12 ms late, failed after 2 attempts: the receiver answered 503: attempt 1 failed (connection refused) at ${iso(DUE)}`);
    });
    it('a run that failed before anything was sent is never called late', () => {
        const error = 'its project may not use this target';
        expect(explain({ status: 'failed', latenessMs: null, error })).toBe(`never sent, failed: ${error}`);
    });
    it('a run with dozens of different failures is explained by the first and the last of them', () => {
        const attempts = Array.from({ length: 40 }, (_, n) => failure(n + 1, DUE + n * 1_000, `error ${n + 1}`));
        const text = explain({ status: 'retrying', attempt: 40, nextAttemptAt: DUE + 99_000 }, attempts);
        expect(text).toContain('attempt 1 failed (error 1)');
        expect(text).toContain('28 more steps');
        expect(text).toContain('attempt 40 failed (error 40)');
        expect(text).toContain(`it is tried again at ${iso(DUE + 99_000)}`);
    });
});
//# sourceMappingURL=explain-run.test.js.map