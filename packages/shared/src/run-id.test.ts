import { describe, expect, it } from 'vitest';
import { attemptKey, decodeRunId, encodeRunId } from './run-id.js';

describe('run id', () => {
  it('a run id decodes to the schedule, occurrence and origin that it encodes', () => {
    for (const origin of ['rule', 'trigger', 'backfill'] as const) {
      const run = { scheduleId: 123_456_789, occurrenceAt: 1_794_787_200_123, origin };
      expect(decodeRunId(encodeRunId(run))).toEqual(run);
    }
    const before1970 = { scheduleId: 1, occurrenceAt: -5, origin: 'rule' } as const;
    expect(decodeRunId(encodeRunId(before1970))).toEqual(before1970);
  });

  it('a run id in any spelling but the canonical one is refused', () => {
    for (const text of [
      'run_r01_a',
      'run_r1_0a',
      'run_r1_-0',
      'run_x1_a',
      'run_r1_zzzzzzzzzzz',
      'run_r1',
      '',
    ]) {
      expect(decodeRunId(text)).toBeNull();
    }
  });

  it('the key by which a receiver recognises an attempt is different for each claim of the run', () => {
    const keys = [1, 2, 3, 2 ** 40].map((epoch) => attemptKey('run_r1_a', 1, epoch));
    expect(new Set(keys).size).toBe(4);
    expect(keys[0]).toMatch(/^run_r1_a-1-[0-9a-z]+$/);
    expect(attemptKey('run_r1_a', 1, 1)).toBe(keys[0]);
  });
});
