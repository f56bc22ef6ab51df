import type { PostgresClock } from '@carillon/queue';
import { attemptKey, classifyAnswer, encodeRunId, type Outcome } from '@carillon/shared';
import type { Flight } from '../in-flight.js';
import type { TargetDeliver } from './deliver.js';
import type { Poster, PostResult } from './post.js';
import type { Secrets } from './secrets.js';
import { signWebhook } from './sign.js';
import type { Traffic } from './traffic.js';

export interface WebhookParts {
  poster: Poster;
  traffic: Traffic;
  secrets: Secrets;
  clock: PostgresClock;
}

/** Posts a run to its URL, signed by Standard Webhooks. */
export function deliverToWebhook({ poster, traffic, secrets, clock }: WebhookParts): TargetDeliver {
  return async (flight) => {
    const { run } = flight;
    const { target, timeoutMs, hasSecret } = run.plan;
    if (target.type !== 'webhook') throw new Error('not a webhook');
    const { url } = target;
    const { origin } = poster.addressOf(url);
    return traffic.pass({ projectId: run.projectId, origin, timeoutMs, signal: flight }, async () => {
      const runId = encodeRunId(run);
      const nowAt = clock.now();
      const body = webhookBody(run, { runId, firedAt: nowAt });
      const headers = {
        ...target.headers,
        ...webhookHeaders({ id: runId, body, nowAt }, await secrets.of(run, hasSecret)),
        'x-idempotency-key': runId,
        'x-attempt-key': attemptKey(runId, run.attempt, run.epoch),
      };
      return outcomeOf(await poster.post({ url, headers, body, signal: flight }), clock.now());
    });
  };
}

/** The headers of Standard Webhooks; without a secret, those that need none. */
export function webhookHeaders(
  { id, body, nowAt }: { id: string; body: string; nowAt: number },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = Math.floor(nowAt / 1_000);
  const signature =
    secrets.length > 0 ? { 'webhook-signature': signWebhook({ id, timestamp, body }, secrets) } : {};
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...signature,
  };
}

/** The payload goes out as the text that came in: parsing and printing it again would change it. */
function webhookBody(run: Flight['run'], { runId, firedAt }: { runId: string; firedAt: number }): string {
  const envelope = JSON.stringify({
    type: 'schedule.due',
    scheduleId: run.scheduleKey,
    runId,
    occurrenceAt: new Date(run.occurrenceAt).toISOString(),
    firedAt: new Date(firedAt).toISOString(),
    attempt: run.attempt,
  });
  return `${envelope.slice(0, -1)},"payload":${run.payload ?? 'null'}}`;
}

/** What became of a post. */
export function outcomeOf(result: PostResult, nowAt: number): Outcome {
  if (result.kind === 'answered') return classifyAnswer(result.answer, nowAt);
  const { isTransient, errorCode, error } = result;
  return { kind: 'failed', isTransient, errorCode, error };
}
