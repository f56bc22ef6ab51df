import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFERRAL_REASONS } from '../outcome.js';
import { describeDeferral } from './words.js';

const GUIDE = readFileSync(new URL('../../../../docs/explaining.md', import.meta.url), 'utf8');

it.each(DEFERRAL_REASONS)(
  'a deferral with the code %s has a cause in words, and docs/explaining.md lists the code',
  (code) => {
    const deferral = { attempt: 1, reasonCode: code, reason: 'why', fromAt: 0, untilAt: 1, count: 2 };
    expect(describeDeferral(deferral)).toMatch(/^deferred 2 times (by|because) .+ \(why\)$/);
    expect(describeDeferral(deferral)).not.toContain('by the engine');
    expect(GUIDE).toContain(`\`${code}\``);
  },
);

it('a deferral with a code that this version does not know is explained by its reason', () => {
  const deferral = { attempt: 1, reasonCode: 'toString', reason: 'why', fromAt: 0, untilAt: 1, count: 1 };
  expect(describeDeferral(deferral)).toBe('deferred once by the engine (why)');
});
