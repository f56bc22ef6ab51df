import type { Attempt, RunWithAttempts, Target } from '@carillon/client';
import { formatMs } from '../format/time.js';
import { targetWords } from '../schedules/target-words.js';
import { Code } from '../ui/code.js';
import { type Outcome, OutcomeWord } from '../ui/outcome.js';
import { Facts } from '../ui/parts.js';
import { Instant } from '../ui/times.js';

const OUTCOMES: Record<Attempt['outcome'], Outcome> = {
  open: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  unknown: 'unknown',
  cancelled: 'cancelled',
  handed_back: 'skipped',
};

/** One attempt of a run: its result, its request and the answer. */
export function AttemptBlock({
  attempt,
  run,
  zone,
  target,
}: {
  attempt: Attempt;
  run: RunWithAttempts;
  zone: string | undefined;
  target: Target | null;
}) {
  return (
    <div className="border-b border-line px-4 py-3 last:border-0">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-sm">
        <span className="font-semibold">Attempt {attempt.number}</span>
        <OutcomeWord outcome={OUTCOMES[attempt.outcome]} />
        {attempt.httpStatus !== null && <span className="chip">HTTP {attempt.httpStatus}</span>}
        <span className="text-soft">
          <Instant at={attempt.startedAt} zone={zone} /> · took {formatMs(attempt.durationMs)}
          {attempt.workerId !== null && ` · worker ${attempt.workerId}`}
        </span>
      </div>
      {attempt.error && (
        <p className="mt-1 text-sm break-words text-fail">
          {attempt.error}
          {attempt.errorCode && <span className="text-faint"> ({attempt.errorCode})</span>}
        </p>
      )}
      <div className="mt-2">
        <RequestFacts attempt={attempt} run={run} target={target} />
      </div>
      {attempt.response && (
        <div className="mt-2">
          <Code text={attempt.response} label={`answer to attempt ${attempt.number}`} />
        </div>
      )}
      {attempt.result !== null && (
        <div className="mt-2">
          <Code
            text={JSON.stringify(attempt.result, null, 2)}
            label={`result of attempt ${attempt.number}`}
          />
        </div>
      )}
      {attempt.resultError !== null && <p className="mt-1 text-sm text-soft">{attempt.resultError}</p>}
    </div>
  );
}

/** The request of an attempt, reconstructed from the definition that was in effect at that time. */
function RequestFacts({
  attempt,
  run,
  target,
}: {
  attempt: Attempt;
  run: RunWithAttempts;
  target: Target | null;
}) {
  return (
    <Facts
      facts={[
        [
          'Request',
          target === null ? (
            `as version ${run.scheduleVersion} of the schedule defined it`
          ) : (
            <span key="t" className="break-all">
              {target.type === 'webhook' ? `${target.method ?? 'POST'} ${target.url}` : targetWords(target)}
            </span>
          ),
        ],
        [
          'Sent with',
          <code key="k" className="break-all">
            webhook-id: {run.id} · x-attempt-key: {attempt.key}
          </code>,
        ],
      ]}
    />
  );
}
