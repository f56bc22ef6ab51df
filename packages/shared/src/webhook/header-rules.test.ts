import { describe, expect, it } from 'vitest';
import { headersProblem, webhookProblems } from './header-rules.js';

describe('target headers', () => {
  it('a webhook target may have ordinary headers', () => {
    expect(headersProblem({ Authorization: 'Bearer abc', 'X-Tenant': 'a\tb é', Accept: '' })).toBeNull();
  });

  it.each([
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'TE',
    'Upgrade',
    'Expect',
    'Proxy-Authorization',
  ])('the header %s of a webhook target is refused because Carillon or the connection sets it', (name) =>
    expect(headersProblem({ [name]: 'x' })).toContain(name),
  );

  it.each(['webhook-id', 'Webhook-Signature', 'X-Idempotency-Key', 'X-Attempt-Key'])(
    'the header %s of a webhook target is refused because Carillon sets it',
    (name) => {
      expect(headersProblem({ [name]: 'x' })).toContain(name);
    },
  );

  it.each(['a\r\nX-Injected: 1', 'a\nb', 'a\rb', 'a\0b', 'a\u007fb', 'snow \u2603', 'a'.repeat(4_097)])(
    'the header value %j of a webhook target is refused because of its characters or its length',
    (value) => {
      expect(headersProblem({ 'X-Value': value })).not.toBeNull();
    },
  );

  it.each(['', 'a b', 'a:b', 'a\r\nb', 'é', '(x)', 'a'.repeat(129)])(
    'the header name %j of a webhook target is refused because of its characters or its length',
    (name) => {
      expect(headersProblem({ [name]: 'x' })).not.toBeNull();
    },
  );

  it('a webhook may set its content-type only if its body is the plain payload, not the envelope', () => {
    const headers = { 'Content-Type': 'text/plain' };
    expect(webhookProblems({ headers, body: 'payload' })).toEqual([]);
    expect(webhookProblems({ headers })).toMatchObject([{ field: 'headers' }]);
    expect(webhookProblems({ headers, body: 'envelope', method: 'PUT' })).toMatchObject([
      { field: 'headers' },
    ]);
  });

  it('a webhook with the method GET may not choose a body', () => {
    expect(webhookProblems({ method: 'GET', headers: {} })).toEqual([]);
    expect(webhookProblems({ method: 'GET', headers: {}, body: 'payload' })).toMatchObject([
      { field: 'body' },
    ]);
  });

  it('a webhook target may not have one header in two spellings, nor more than fifty headers', () => {
    expect(headersProblem({ 'X-A': '1', 'x-a': '2' })).not.toBeNull();
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, '1']));
    expect(headersProblem(many)).not.toBeNull();
  });
});
