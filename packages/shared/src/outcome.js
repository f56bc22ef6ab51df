import { retryDelayMs } from './retry.js';
/** Decides the next state of the run. `attempt` counts from 1 and does not include free attempts. */
export function closingOf(outcome, { retry, attempt, random }) {
    switch (outcome.kind) {
        case 'succeeded':
            return { status: 'succeeded', retryInMs: null };
        case 'handed_back':
            return { status: 'retrying', retryInMs: 0 };
        case 'deferred':
            return { status: 'retrying', retryInMs: outcome.retryInMs };
        case 'failed': {
            if (!outcome.isTransient || attempt >= retry.maxAttempts)
                return { status: 'failed', retryInMs: null };
            const retryInMs = retryDelayMs(retry, { attempt, random, retryAfterMs: outcome.retryAfterMs ?? null });
            return { status: 'retrying', retryInMs };
        }
    }
}
//# sourceMappingURL=outcome.js.map