import { describe, expect, it } from 'vitest';
import { diffDefinitions } from './diff-definitions.js';

const definition = {
  name: 'Invoices',
  tags: ['billing'],
  rule: { cron: '0 9 * * *' },
  retry: { maxAttempts: 3, jitter: true },
  target: { type: 'webhook', url: 'https://example.com/a', headers: { authorization: '•••' } },
};

describe('diffDefinitions', () => {
  it('equal definitions have no differences, even if the order of their fields differs', () => {
    const { name, ...rest } = definition;
    const shuffled = { ...rest, retry: { jitter: true, maxAttempts: 3 }, name };
    expect(diffDefinitions(definition, shuffled)).toEqual([]);
  });

  it('differences in a policy, a target or its headers are reported field by field, and in a rule or tags as a whole', () => {
    const after = {
      ...definition,
      tags: ['billing', 'set:billing'],
      rule: { every: 'PT1H' },
      retry: { maxAttempts: 5, jitter: true },
      target: { ...definition.target, url: 'https://example.com/b', headers: { 'x-team': '•••' } },
    };
    expect(diffDefinitions(definition, after)).toEqual([
      { field: 'tags', before: ['billing'], after: ['billing', 'set:billing'] },
      { field: 'rule', before: { cron: '0 9 * * *' }, after: { every: 'PT1H' } },
      { field: 'retry.maxAttempts', before: 3, after: 5 },
      { field: 'target.url', before: 'https://example.com/a', after: 'https://example.com/b' },
      { field: 'target.headers.authorization', before: '•••', after: null },
      { field: 'target.headers.x-team', before: null, after: '•••' },
    ]);
  });

  it('two definitions with different types of target differ in one field, the target', () => {
    const target = { type: 'queue', queue: 'reports' };
    expect(diffDefinitions(definition, { ...definition, target })).toEqual([
      { field: 'target', before: definition.target, after: target },
    ]);
  });
});
