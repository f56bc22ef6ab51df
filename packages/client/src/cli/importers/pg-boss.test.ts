import { describe, expect, it } from 'vitest';
import { importPgBoss } from './pg-boss.js';

const row = { name: 'report', cron: '0 3 * * *', timezone: 'Asia/Tokyo', data: { a: 1 }, options: {} };

describe('importPgBoss', () => {
  it('a schedule of pg-boss becomes a cron rule that skips missed occurrences', () => {
    expect(importPgBoss([row]).drafts).toMatchObject([
      {
        source: 'report',
        schedule: {
          id: 'pg-boss-report',
          rule: { cron: '0 3 * * *' },
          timezone: 'Asia/Tokyo',
          misfire: { policy: 'skip' },
          payload: { a: 1 },
        },
        remarks: [],
      },
    ]);
  });

  it('the retry options and the expiration of a pg-boss schedule become retries and a time-out', () => {
    const options = {
      retryLimit: 4,
      retryDelay: 30,
      retryBackoff: true,
      expireInSeconds: 600,
      missed: 'once',
    };
    const [draft] = importPgBoss([{ ...row, key: 'eu', options: { ...options, priority: 7 } }]).drafts;
    expect(draft).toMatchObject({
      source: 'report/eu',
      schedule: {
        id: 'pg-boss-report-eu',
        misfire: { policy: 'once' },
        retry: { maxAttempts: 5, baseDelay: 'PT30S' },
        timeout: 'PT10M',
      },
      remarks: ['has no equivalent: priority 7; the receiver has to take care of it'],
    });
  });

  it('the pg-boss import reports that a fixed retry delay has no equivalent, keeps an RRULE, and refuses an invalid rule', () => {
    const { drafts, refusals } = importPgBoss([
      { ...row, options: { retryLimit: 1 } },
      { ...row, kind: 'rrule', cron: 'FREQ=DAILY;BYHOUR=9' },
      { ...row, cron: '99 * * * *' },
    ]);
    expect(drafts[0]?.remarks).toEqual([expect.stringContaining('a fixed retry delay')]);
    expect(drafts[1]?.schedule.rule).toEqual({ rrule: 'FREQ=DAILY;BYHOUR=9' });
    expect(refusals).toMatchObject([{ rule: '99 * * * *', reason: expect.stringContaining('rule.cron') }]);
  });
});
