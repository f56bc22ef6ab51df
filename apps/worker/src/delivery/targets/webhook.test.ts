import { spellSecret } from '@carillon/shared';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signWebhook } from './webhook.js';

const SECRET = spellSecret(Buffer.alloc(24, 7));
const OTHER = spellSecret(Buffer.alloc(32, 9));
const body = '{"type":"schedule.due","payload":{"name":"Zoë","amount":1.0}}';

function headersOf(secrets: string[], text = body) {
  const timestamp = Math.floor(Date.now() / 1_000);
  return {
    'webhook-id': 'run_r1_abc',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook({ id: 'run_r1_abc', timestamp, body: text }, secrets),
  };
}

describe('Signatures', () => {
  it('the signature of a webhook verifies with the public Standard Webhooks library', () => {
    expect(new Webhook(SECRET).verify(body, headersOf([SECRET]))).toEqual(JSON.parse(body));
  });

  it('the signature of a webhook does not verify with a tampered body, another id or another secret', () => {
    const headers = headersOf([SECRET]);
    expect(() => new Webhook(SECRET).verify(body.replace('1.0', '9.0'), headers)).toThrow();
    expect(() => new Webhook(SECRET).verify(body, { ...headers, 'webhook-id': 'run_r2_abc' })).toThrow();
    expect(() => new Webhook(OTHER).verify(body, headers)).toThrow();
  });

  it('while a signing secret is being rotated, a webhook verifies with the old and with the new secret', () => {
    const headers = headersOf([OTHER, SECRET]);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [SECRET, OTHER])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });
});
