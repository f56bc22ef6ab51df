import { createHmac } from 'node:crypto';
import type { PostgresClock } from '@carillon/queue';
import {
  attemptKey,
  classifyAnswer,
  encodeRunId,
  type Outcome,
  secretBytes,
  type WebhookTarget,
} from '@carillon/shared';
import type { Flight } from '../../pipeline/in-flight.js';
import { POSTGRES_UNAVAILABLE, type TargetDeliver } from '../../pipeline/pipeline.js';
import type { Traffic } from '../traffic/traffic.js';
import type { Poster, PostResult } from './post.js';
import type { DeliverySecrets } from './secrets.js';

export interface WebhookParts {
  poster: Poster;
  traffic: Traffic;
  secrets: DeliverySecrets;
  clock: PostgresClock;
}

/** Posts a run to its URL, signed by Standard Webhooks. */
export function deliverToWebhook({ poster, traffic, secrets, clock }: WebhookParts): TargetDeliver {
  return async (flight) => {
    const { run } = flight;
    const { target, timeoutMs, hasSecret } = run.plan;
    if (target.type !== 'webhook') throw new Error('not a webhook');
    const { url, method } = target;
    const { origin } = poster.addressOf(url);
    return traffic.pass({ projectId: run.projectId, origin, timeoutMs, signal: flight }, async () => {
      const runId = encodeRunId(run);
      const keys = await secrets.of(run, hasSecret);
      if (flight.hasTimedOutUnsent) return POSTGRES_UNAVAILABLE;
      const nowAt = clock.now();
      const given = secrets.headersOf(run.projectId, target.headers);
      const { body, contentType } = contentOf(target, run, { runId, firedAt: nowAt, given });
      const headers = {
        // If the target sets a `traceparent` itself, that one is sent.
        ...(flight.trace ? { traceparent: flight.trace.traceparent } : {}),
        ...given,
        ...contentType,
        ...webhookHeaders({ id: runId, body, nowAt }, keys),
        'x-idempotency-key': runId,
        'x-attempt-key': attemptKey(runId, run.attempt, run.epoch),
      };
      const { projectId } = run;
      const onConnect = () => flight.connect(clock.now());
      const onSend = () => flight.begin(clock.now());
      const request = { projectId, url, method, headers, body, signal: flight, onConnect, onSend };
      return outcomeOf(await poster.post(request), clock.now());
    });
  };
}

/** The headers of Standard Webhooks. Without a secret there is no signature. */
export function webhookHeaders(
  { id, body, nowAt }: { id: string; body: string; nowAt: number },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = Math.floor(nowAt / 1_000);
  const signature =
    secrets.length > 0 ? { 'webhook-signature': signWebhook({ id, timestamp, body }, secrets) } : {};
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...signature,
  };
}

/** The signed content of a delivery. */
export interface SignedContent {
  id: string;
  /** Seconds since 1970, as the `webhook-timestamp` header has them. */
  timestamp: number;
  body: string;
}

/**
 * The `webhook-signature` header: one signature for each valid secret, so that a receiver can switch to a new secret at
 * any time.
 */
export function signWebhook({ id, timestamp, body }: SignedContent, secrets: readonly string[]): string {
  const content = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => {
      const key = secretBytes(secret);
      if (key === null) throw new Error('a stored webhook secret is malformed');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    })
    .join(' ');
}

export const JSON_TYPE = { 'content-type': 'application/json' };
const NO_BODY = { body: '', contentType: {} };

interface Content {
  body: string;
  contentType: Record<string, string>;
}

/**
 * The body of a delivery and its content type. The content type is left out if the headers of the target set one. The
 * signature covers this body.
 */
export function contentOf(
  { method, body }: Pick<WebhookTarget, 'method' | 'body'>,
  run: Flight['run'],
  { given, ...sent }: { runId: string; firedAt: number; given: Record<string, string> },
): Content {
  if (method === 'GET') return NO_BODY;
  if (body !== 'payload') return { body: webhookBody(run, sent), contentType: JSON_TYPE };
  if (run.payload === null) return NO_BODY;
  const [, type] = Object.entries(given).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  if (type === undefined) return { body: run.payload, contentType: JSON_TYPE };
  const value: unknown = /\bjson\b/i.test(type) ? null : JSON.parse(run.payload);
  return { body: typeof value === 'string' ? value : run.payload, contentType: {} };
}

/** The payload is sent exactly as it was stored, because parsing and serializing it again could change it. */
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

/**
 * Defers a run because too many names are being resolved. The delay is random: if thousands of runs came back at one
 * instant, all would be claimed and most would be deferred again.
 */
const namesBusy = (): Outcome => ({
  kind: 'deferred',
  retryInMs: 2_000 + Math.round(Math.random() * 18_000),
  reasonCode: 'names_busy',
  reason: 'the project is already resolving as many host names as it may',
});

/** Turns the result of a request into the outcome of the attempt. */
export function outcomeOf(result: PostResult, nowAt: number): Outcome {
  if (result.kind === 'answered') return classifyAnswer(result.answer, nowAt);
  if (result.kind === 'busy') return namesBusy();
  const { isTransient, errorCode, error } = result;
  return { kind: 'failed', isTransient, errorCode, error };
}
