import { createHmac } from 'node:crypto';
import { secretBytes } from '@carillon/shared';

/** What of a delivery is signed. */
export interface SignedContent {
  id: string;
  /** Seconds since the epoch, as the `webhook-timestamp` header has them. */
  timestamp: number;
  body: string;
}

/** The `webhook-signature` header: one signature for each secret that is valid, so that a receiver can rotate in its own time. */
export function signWebhook({ id, timestamp, body }: SignedContent, secrets: readonly string[]): string {
  const content = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => {
      const key = secretBytes(secret);
      if (key === null) throw new Error('a secret that was accepted is none');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    })
    .join(' ');
}
