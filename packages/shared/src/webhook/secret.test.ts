import { describe, expect, it } from 'vitest';
import { secretBytes, spellSecret } from './secret.js';

describe('webhook secrets', () => {
  it.each([24, 32, 64])('a webhook secret of %i bytes is accepted', (length) => {
    expect(secretBytes(spellSecret(Buffer.alloc(length, 1)))).toHaveLength(length);
  });

  it.each([
    spellSecret(Buffer.alloc(23)),
    spellSecret(Buffer.alloc(65)),
    'whsec_',
    Buffer.alloc(32).toString('base64'),
    'whsec_not base64 at all, is it? no it is not',
    `whsec_${'_-'.repeat(20)}`,
  ])('the webhook secret %s is refused because of its prefix, its length or its spelling', (secret) =>
    expect(secretBytes(secret)).toBeNull(),
  );
});
