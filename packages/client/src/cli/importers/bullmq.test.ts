import { describe, expect, it } from 'vitest';
import { importBullmq } from './bullmq.js';

const nextAt = Date.parse('2026-11-19T09:00:00Z');
const scheduler = (hash: Record<string, string>) => ({ queue: 'reports', key: 'nightly', nextAt, hash });

describe('importBullmq', () => {
  it('a BullMQ job scheduler with a pattern becomes a cron rule with its zone, data and attempts', () => {
    const { drafts } = importBullmq([
      scheduler({
        name: 'report',
        pattern: '0 9 * * 1-5',
        tz: 'Europe/Berlin',
        limit: '10',
        ic: '4',
        endDate: '1893456000000',
        data: '{"kind":"daily"}',
        opts: '{"attempts":5,"backoff":{"type":"exponential","delay":1000},"removeOnComplete":true,"priority":2}',
      }),
    ]);
    expect(drafts).toMatchObject([
      {
        source: 'reports/nightly',
        job: 'nightly',
        schedule: {
          id: 'bullmq-nightly',
          rule: { cron: '0 9 * * 1-5' },
          timezone: 'Europe/Berlin',
          endAt: '2030-01-01T00:00:00.000Z',
          maxRuns: 7,
          retry: { maxAttempts: 5, baseDelay: 'PT1S' },
          target: { type: 'queue', queue: 'reports' },
          payload: { kind: 'daily' },
        },
        remarks: [
          expect.stringContaining('job name report'),
          'has no equivalent: removeOnComplete true, priority 2; set it in the worker that takes the job',
        ],
      },
    ]);
  });

  it('an imported BullMQ interval continues from its next job, and a job with one attempt stays without retries', () => {
    const { drafts } = importBullmq([scheduler({ name: 'tick', every: '90000' })]);
    expect(drafts[0]?.schedule).toMatchObject({
      rule: { every: 'PT1M30S' },
      startAt: '2026-11-19T09:00:00.000Z',
      retry: { maxAttempts: 1 },
    });
  });

  it('the BullMQ import reports that a fixed backoff has no equivalent, and refuses a repeatable job of an old BullMQ version', () => {
    const { drafts, refusals } = importBullmq([
      scheduler({ name: 'x', every: '1000', opts: '{"backoff":{"type":"fixed","delay":5000}}' }),
      scheduler({}),
    ]);
    expect(drafts[0]?.remarks).toContain(
      'has no equivalent: backoff fixed; the delay doubles with each attempt',
    );
    expect(refusals).toMatchObject([
      { source: 'reports/nightly', reason: expect.stringContaining('older version') },
    ]);
  });

  it('two BullMQ job schedulers with the same key in different queues get different ids', () => {
    const { drafts } = importBullmq([
      scheduler({ name: 'x', every: '1000' }),
      { ...scheduler({ name: 'x', every: '1000' }), queue: 'other' },
    ]);
    expect(drafts.map(({ schedule }) => schedule.id)).toEqual(['bullmq-nightly', 'bullmq-nightly-2']);
  });
});
