import { describe, expect, it } from 'vitest';
import { diffDefinitions } from './diff-definitions.js';

describe('The difference between two definitions', () => {
  it('diffDefinitions lists each changed field with both values, and no other field', () => {
    const before = { name: 'Export', rule: { cron: '0 9 * * *' }, timezone: 'UTC', tags: [] };
    const after = { ...before, rule: { cron: '0 10 * * *' }, name: null };
    expect(diffDefinitions(before, after)).toEqual([
      { field: 'name', before: 'Export', after: '–' },
      { field: 'rule', before: '{"cron":"0 9 * * *"}', after: '{"cron":"0 10 * * *"}' },
    ]);
  });

  it('diffDefinitions lists a change of onExcluded and of businessDays', () => {
    const fields = diffDefinitions(
      { onExcluded: 'skip', businessDays: [] },
      { onExcluded: 'next', businessDays: [1] },
    ).map(({ field }) => field);
    expect(fields).toEqual(['onExcluded', 'businessDays']);
  });
});
