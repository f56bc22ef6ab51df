import type { Schedule } from '@carillon/client';
import { describe, expect, it } from 'vitest';
import { cronOfDays, daysOfCron } from './cron-of-days.js';
import { draftOf, EMPTY_DRAFT, patchOf, requestOf } from './draft.js';

const SCHEDULE: Schedule = {
  id: 'nightly',
  name: 'Nightly export',
  tags: ['billing'],
  rule: { cron: '0 9 * * 1-5' },
  timezone: 'Europe/Berlin',
  startAt: null,
  endAt: null,
  maxRuns: null,
  jitter: null,
  dst: { gap: 'shift', overlap: 'first' },
  leapDay: 'feb28',
  exclusions: [],
  calendars: [],
  onExcluded: 'skip',
  businessDays: [],
  misfire: { policy: 'once', grace: 'PT1M', limit: 100 },
  overlap: 'allow',
  maxConcurrentRuns: null,
  dependsOn: null,
  retry: { maxAttempts: 3, baseDelay: 'PT60S', maxDelay: 'PT1H', jitter: true },
  timeout: 'PT15S',
  pauseAfterFailures: null,
  onSuccess: null,
  onFailure: null,
  slo: null,
  target: { type: 'webhook', url: 'https://example.com/hook', headers: {} },
  payload: { any: 'json' },
  status: 'active',
  version: 3,
  nextRunAt: null,
  lastRunAt: null,
  lastEnqueuedAt: null,
  runsTotal: 0,
  pause: null,
  createdAt: '2026-11-17T00:00:00.000Z',
  updatedAt: '2026-11-17T00:00:00.000Z',
};

describe('The draft of a schedule', () => {
  it('the schedule form stores days of the week or month as a cron rule, and reads the same days back from that rule', () => {
    for (const days of [
      { by: 'week', weekdays: [1, 2, 3, 4, 5], monthDays: '1', time: '09:00' },
      { by: 'week', weekdays: [0, 1, 2, 3, 4, 5, 6], monthDays: '1', time: '23:59' },
      { by: 'month', weekdays: [], monthDays: '1,15', time: '00:05' },
    ] as const) {
      expect(daysOfCron(cronOfDays({ ...days, weekdays: [...days.weekdays] }))).toEqual(days);
    }
    expect(daysOfCron('*/5 * * * *')).toBeNull();
  });

  it('if the user changed nothing in the schedule form, the patch for the API is empty', () => {
    expect(patchOf(draftOf(SCHEDULE), SCHEDULE)).toEqual({});
  });

  it('after an edit in the schedule form, the patch for the API has only the changed fields', () => {
    const draft = { ...draftOf(SCHEDULE), name: 'Export', timezone: 'UTC' };
    expect(patchOf(draft, SCHEDULE)).toEqual({ name: 'Export', timezone: 'UTC' });
  });

  it('the schedule form makes no request for the API if its payload is not JSON', () => {
    expect(() => requestOf({ ...EMPTY_DRAFT, payload: '{' })).toThrow(SyntaxError);
  });

  it('the schedule form keeps the objectives of a heartbeat schedule, and the patch for the API has them only if they changed', () => {
    const slo = {
      startWithin: 'PT1M',
      endWithin: 'PT1H',
      endGrace: 'PT5M',
      successRate: { percent: 95, window: 'P7D' },
    };
    const watched: Schedule = {
      ...SCHEDULE,
      slo,
      target: { type: 'heartbeat', grace: 'PT1H', startGrace: null },
    };
    const draft = draftOf(watched);
    expect(requestOf(draft).slo).toEqual(slo);
    expect(patchOf(draft, watched)).toEqual({});
    const objectives = { ...draft.objectives, startWithin: '' };
    expect(patchOf({ ...draft, objectives }, watched)).toEqual({
      slo: { endWithin: 'PT1H', endGrace: 'PT5M', successRate: { percent: 95, window: 'P7D' } },
    });
    expect(requestOf(EMPTY_DRAFT).slo).toBeNull();
  });
});
