import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, verifyWebhookSignature } from './verify-webhook.js';

const secret = `whsec_${btoa('an old secret of 24 bytes')}`;
const other = `whsec_${btoa('a new secret of 24 bytes!')}`;
const now = new Date('2026-11-16T09:00:00Z');
const delivery = { type: 'schedule.due', scheduleId: 'invoice-42', payload: { text: 'Grüße, 世界' } };
const payload = JSON.stringify(delivery);

/** A request that is signed by the reference implementation. */
function signed(at = now, by = secret, id = 'run_r2s_mi1k8qo0') {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign(id, at, payload),
  };
}
const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

describe('verifyWebhook', () => {
  it('verifyWebhook accepts a signature of the Standard Webhooks reference implementation', async () => {
    expect(await verifyWebhook({ payload, headers: signed(), secret, now })).toEqual(delivery);
  });

  it('verifyWebhook accepts the body as bytes, and the headers as a Headers object or a plain object with names in any case', async () => {
    const bytes = new TextEncoder().encode(payload);
    const shouted = Object.fromEntries(
      Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const headers of [signed(), new Headers(signed()), shouted]) {
      expect(await verifyWebhook({ payload: bytes, headers, secret, now })).toEqual(delivery);
    }
  });

  it('verifyWebhook accepts a request if any of its signatures matches any of the given secrets', async () => {
    expect(await verifyWebhook({ payload, headers: signed(), secret: [other, secret], now })).toEqual(
      delivery,
    );
    const both = `${signed(now, other)['webhook-signature']} v1a,xyz ${signed()['webhook-signature']}`;
    const headers = { ...signed(), 'webhook-signature': both };
    expect(await verifyWebhook({ payload, headers, secret, now })).toEqual(delivery);
  });

  it.each([
    ['a signature of another secret', { headers: signed(now, other) }, 'no signature matches'],
    ['a changed body', { payload: payload.replace('42', '43') }, 'no signature matches'],
    ['a changed id', { headers: { ...signed(), 'webhook-id': 'run_x' } }, 'no signature matches'],
    [
      'a changed timestamp',
      { headers: { ...signed(), 'webhook-timestamp': '1794819601' } },
      'no signature matches',
    ],
    [
      'an unknown version of signatures',
      { headers: { ...signed(), 'webhook-signature': 'v2,AAAA' } },
      'no signature matches',
    ],
    [
      'a broken signature',
      { headers: { ...signed(), 'webhook-signature': 'v1,%%%' } },
      'no signature matches',
    ],
    [
      'a request without a signature',
      { headers: { ...signed(), 'webhook-signature': undefined } },
      'webhook-signature is missing',
    ],
    [
      'a timestamp that is not a number',
      { headers: { ...signed(), 'webhook-timestamp': 'NaN' } },
      'is not a time',
    ],
    ['a timestamp that is too old', { now: after(301) }, 'too old'],
    ['a timestamp in the future', { now: after(-301) }, 'in the future'],
    ['an empty list of secrets', { secret: [] }, 'no secret'],
    ['a secret that is not base64', { secret: 'whsec_ü' }, 'not base64'],
  ])('verifyWebhook refuses %s', async (_what, change, message) => {
    const refusal = verifyWebhook({ payload, headers: signed(), secret, now, ...change });
    await expect(refusal).rejects.toThrow(message);
    await expect(refusal).rejects.toMatchObject({ name: 'WebhookVerificationError' });
  });

  it('verifyWebhookSignature returns the body of a signed request that is not JSON, and refuses another body', async () => {
    for (const body of ['a=1&b=ü', '']) {
      const id = 'run_r2s_mi1k8qo0';
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(now.getTime() / 1_000),
        'webhook-signature': new Webhook(secret).sign(id, now, body),
      };
      expect(await verifyWebhookSignature({ payload: body, headers, secret, now })).toBe(body);
      const other = verifyWebhookSignature({ payload: `${body} `, headers, secret, now });
      await expect(other).rejects.toThrow('no signature matches');
    }
  });

  it('verifyWebhook accepts a timestamp that is off by no more than toleranceSeconds', async () => {
    const old = { payload, headers: signed(), secret, now: after(3_000) };
    expect(await verifyWebhook({ ...old, toleranceSeconds: 3_600 })).toEqual(delivery);
  });
});
