import type { AlertKind } from './types/alert.js';

/** The body of a webhook request. */
export interface WebhookDelivery<P = unknown> {
  type: 'schedule.due';
  scheduleId: string;
  /** The id of the run. Every attempt has the same id, so deduplicate by it. */
  runId: string;
  occurrenceAt: string;
  firedAt: string;
  attempt: number;
  payload: P;
}

/** The headers of a webhook request. The target of a schedule may add others. */
export interface WebhookHeaders {
  /** The id of the run. Every attempt has the same id, so deduplicate by it. */
  'webhook-id': string;
  /** Seconds since 1970. */
  'webhook-timestamp': string;
  /** One or more signatures `v1,<base64>`, separated by spaces. */
  'webhook-signature': string;
  /** The same as `webhook-id`. */
  'x-idempotency-key': string;
  /** The id of the attempt. */
  'x-attempt-key': string;
}

/** The body of a receipt, which is sent to `onSuccess` or `onFailure` when a run has ended. */
export interface WebhookReceipt {
  type: 'run.succeeded' | 'run.failed';
  scheduleId: string;
  runId: string;
  occurrenceAt: string;
  finishedAt: string;
  attempt: number;
  httpStatus: number | null;
  externalId: string | null;
  /** The error of a failed run; null for `run.succeeded`. */
  error: string | null;
}

/** A breach of an objective, as it is reported in a message to an alert channel. */
export interface ReportedBreach {
  /** The message about the start of a breach and the message about its end have the same id. */
  id: string;
  scheduleId: string;
  scheduleName: string | null;
  kind: AlertKind;
  occurrenceAt: string;
  openedAt: string;
  resolvedAt: string | null;
  /** Says what was expected, what happened, and since when. */
  sentence: string;
  /** One sentence that says what became of the occurrence. Null if the schedule was removed. */
  why: string | null;
  resolution: string | null;
  /** The URL of the schedule’s page in the dashboard. */
  link: string;
}

/** The body of a message to an alert channel of the type webhook. */
export interface WebhookAlert {
  /** `alert.test` is a test message: its two lists are empty. */
  type: 'alert' | 'alert.test';
  project: string;
  summary: string;
  opened: ReportedBreach[];
  resolved: ReportedBreach[];
}

/** The data of a `ScheduleDue` job, which a target of type `queue` adds to its queue. */
export interface QueueDelivery<P = unknown> {
  /** The id of the schedule. */
  id: string;
  projectId: string;
  runId: string;
  occurrenceAt: string;
  firedAt: string;
  payload: P;
}

export interface WebhookToVerify {
  /** The raw body, byte for byte. JSON that was parsed and serialized again does not verify. */
  payload: string | Uint8Array;
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The signing secret, `whsec_…`; the old and the new one while it is being rotated. */
  secret: string | readonly string[];
  /** Maximum difference between the timestamp of the request and now, in either direction (default 300). */
  toleranceSeconds?: number | undefined;
  /** The current time (default: the clock of this machine). */
  now?: Date | undefined;
}

/** Thrown if the signature matches none of the secrets, or the timestamp is outside the tolerance. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies the signature of a webhook request (Standard Webhooks) and returns its body. Throws a
 * `WebhookVerificationError` if the signature or the timestamp is wrong.
 */
export async function verifyWebhook<P = unknown>(request: WebhookToVerify): Promise<WebhookDelivery<P>> {
  return JSON.parse(await verifyWebhookSignature(request));
}

/**
 * Verifies the signature of any webhook request and returns its body as text: for receipts, and for targets that send
 * the payload alone. Throws a `WebhookVerificationError` if the signature or the timestamp is wrong.
 */
export async function verifyWebhookSignature({
  payload,
  headers,
  secret,
  toleranceSeconds = TOLERANCE_SECONDS,
  now = new Date(),
}: WebhookToVerify): Promise<string> {
  const read = readerOf(headers);
  const id = read('webhook-id');
  const timestamp = read('webhook-timestamp');
  requireRecent(timestamp, { toleranceSeconds, nowSeconds: now.getTime() / 1_000 });
  const body = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  const signatures = signaturesIn(read('webhook-signature'));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (secrets.length === 0) throw new WebhookVerificationError('no secret to verify with');
  const keys = await Promise.all(secrets.map(importSecret));
  for (const key of keys) {
    for (const signature of signatures) {
      // WebCrypto compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return body;
    }
  }
  throw new WebhookVerificationError('no signature matches');
}

function readerOf(headers: WebhookToVerify['headers']): (name: string) => string {
  const valuesByName = new Map<string, string>();
  const entries = headers instanceof Headers ? headers.entries() : Object.entries(headers);
  for (const [name, value] of entries)
    if (typeof value === 'string') valuesByName.set(name.toLowerCase(), value);
  return (name) => {
    const value = valuesByName.get(name);
    if (!value) throw new WebhookVerificationError(`the header ${name} is missing`);
    return value;
  };
}

function requireRecent(
  timestamp: string,
  { toleranceSeconds, nowSeconds }: { toleranceSeconds: number; nowSeconds: number },
): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a time');
  const ageSeconds = nowSeconds - Number(timestamp);
  if (ageSeconds > toleranceSeconds) throw new WebhookVerificationError('webhook-timestamp is too old');
  if (ageSeconds < -toleranceSeconds)
    throw new WebhookVerificationError('webhook-timestamp is in the future');
}

/** Parses `v1,<base64>` signatures, separated by spaces. Other versions are ignored. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header.split(' ').flatMap((versioned) => {
    const [version, signature] = versioned.split(',', 2);
    const bytes = version === 'v1' && signature ? base64(signature) : null;
    return bytes ? [bytes] : [];
  });
}

async function importSecret(secret: string) {
  const bytes = base64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new WebhookVerificationError('the secret is not base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function base64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
