import type { DeferralReason } from '../outcome.js';
import type { StoryAttempt, StoryDeferral } from './story.js';

/** The reason code of a run that waits for the ping (report) of its job. */
export const AWAITING_PING = 'awaiting_ping' satisfies DeferralReason;

/** The causes of deferrals in words. */
const HOLDS: Record<DeferralReason, string> = {
  awaiting_ping: 'because the ping of its job had not come',
  circuit_open: 'by an open circuit',
  handler_busy: 'by the concurrency limit of its handler',
  handler_missing: 'because its handler was missing',
  names_busy: 'by the limit on name lookups',
  origin_busy: 'by the concurrency limit of its origin',
  postgres_unavailable: 'because Postgres did not answer',
  project_busy: 'by the concurrency limit of its project',
  project_rate: 'by the rate limit of its project',
  redis_unavailable: 'because Redis was away',
};

/** A row that a newer version has written can have a code that this version does not know. */
const holdOf = (code: string) =>
  Object.hasOwn(HOLDS, code) ? HOLDS[code as DeferralReason] : 'by the engine';

export const noLiveHandler = (handler: string) => `no live worker has the handler ${handler}`;
export const waitForHandler = (handler: string) => `waiting: ${noLiveHandler(handler)}`;

const times = (count: number) => (count === 1 ? 'once' : `${count} times`);

export const describeDeferral = ({ count, reasonCode, reason }: StoryDeferral) =>
  `deferred ${times(count)} ${holdOf(reasonCode)} (${reason})`;

export function describeAttempt({ number, outcome, error }: StoryAttempt): string {
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
      return `attempt ${number} was handed back by a worker that stopped, was frozen or was cut off`;
  }
}

/** A duration in the unit that a person would use. */
export function inWords(ms: number): string {
  if (ms < 10_000) return `${ms} ms`;
  if (ms < 600_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}
