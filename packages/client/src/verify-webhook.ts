/** A delivery, as it is posted to a webhook. */
export interface WebhookDelivery<P = unknown> {
  type: 'schedule.due';
  scheduleId: string;
  /** The same for every attempt: deduplicate on it. */
  runId: string;
  occurrenceAt: string;
  firedAt: string;
  attempt: number;
  payload: P;
}

export interface WebhookToVerify {
  /** The body as it came, byte for byte: parsed and written anew it is not the same. */
  payload: string | Uint8Array;
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_…`, or several while one replaces another. */
  secret: string | readonly string[];
  /** How old, or how far ahead, it may be. */
  toleranceSeconds?: number | undefined;
  /** The time to judge it by. */
  now?: Date | undefined;
}

/** The delivery was not sent by whoever knows the secret, or not lately. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 300;

/** Makes sure that a delivery is from Carillon (Standard Webhooks), and answers with it. Throws where it is not. */
export async function verifyWebhook<P = unknown>({
  payload,
  headers,
  secret,
  toleranceSeconds = TOLERANCE_SECONDS,
  now = new Date(),
}: WebhookToVerify): Promise<WebhookDelivery<P>> {
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
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(body);
    }
  }
  throw new WebhookVerificationError('no signature matches');
}

function readerOf(headers: WebhookToVerify['headers']): (name: string) => string {
  const found = new Map<string, string>();
  const entries = headers instanceof Headers ? headers.entries() : Object.entries(headers);
  for (const [name, value] of entries) if (typeof value === 'string') found.set(name.toLowerCase(), value);
  return (name) => {
    const value = found.get(name);
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

/** `v1,<base64>`, several with a space between; other versions are not for us. */
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
