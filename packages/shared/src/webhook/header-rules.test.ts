import { describe, expect, it } from 'vitest';
import { headersProblem } from './header-rules.js';

describe('Headers of a schedule', () => {
  it('lets ordinary headers pass', () => {
    expect(headersProblem({ Authorization: 'Bearer abc', 'X-Tenant': 'a\tb é', Accept: '' })).toBeNull();
  });

  it.each([
    'Host',
    'Content-Length',
    'content-type',
    'Transfer-Encoding',
    'Connection',
    'TE',
    'Upgrade',
    'Expect',
    'Proxy-Authorization',
  ])('refuses %s, which belongs to the connection', (name) =>
    expect(headersProblem({ [name]: 'x' })).toContain(name),
  );

  it.each(['webhook-id', 'Webhook-Signature', 'X-Idempotency-Key', 'X-Attempt-Key'])(
    'refuses %s, which is ours',
    (name) => {
      expect(headersProblem({ [name]: 'x' })).toContain(name);
    },
  );

  it.each(['a\r\nX-Injected: 1', 'a\nb', 'a\rb', 'a\0b', 'a\u007fb', 'snow \u2603', 'a'.repeat(4_097)])(
    'refuses the value %j',
    (value) => {
      expect(headersProblem({ 'X-Value': value })).not.toBeNull();
    },
  );

  it.each(['', 'a b', 'a:b', 'a\r\nb', 'é', '(x)', 'a'.repeat(129)])('refuses the name %j', (name) => {
    expect(headersProblem({ [name]: 'x' })).not.toBeNull();
  });

  it('refuses one name in two spellings, and more headers than fifty', () => {
    expect(headersProblem({ 'X-A': '1', 'x-a': '2' })).not.toBeNull();
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, '1']));
    expect(headersProblem(many)).not.toBeNull();
  });
});
