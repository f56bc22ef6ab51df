import { ScheduleFile } from '@carillon/shared';
import { describe, expect, it } from 'vitest';
import type { Schedule } from '../../types/schedule.js';
import { exportSchedules } from './export-schedules.js';
import { parseScheduleFile } from './parse-schedule-file.js';
import { writeScheduleFile } from './write-schedule-file.js';

const schedule = (fields: Partial<Schedule> = {}): Schedule => ({
  id: 'a',
  name: null,
  tags: [],
  rule: { cron: '0 9 * * *' },
  timezone: 'UTC',
  startAt: null,
  endAt: null,
  maxRuns: null,
  jitter: null,
  dst: { gap: 'shift', overlap: 'first' },
  leapDay: 'skip',
  exclusions: [],
  calendars: [],
  onExcluded: 'skip',
  businessDays: [],
  misfire: { policy: 'once', grace: 'PT1M', limit: 100 },
  overlap: 'allow',
  maxConcurrentRuns: null,
  dependsOn: null,
  retry: { maxAttempts: 3, baseDelay: 'PT1M', maxDelay: 'PT1H', jitter: true },
  timeout: 'PT15S',
  pauseAfterFailures: null,
  onSuccess: null,
  onFailure: null,
  slo: null,
  target: { type: 'handler', name: 'log' },
  payload: null,
  status: 'active',
  version: 1,
  nextRunAt: null,
  lastRunAt: null,
  lastEnqueuedAt: null,
  runsTotal: 0,
  pause: null,
  createdAt: '2026-11-16T09:00:00.000Z',
  updatedAt: '2026-11-16T09:00:00.000Z',
  ...fields,
});

describe('exportSchedules', () => {
  it('an exported schedule has only the fields that differ from their defaults, and is valid in a schedule file', () => {
    const { schedules, notes } = exportSchedules(
      [schedule({ tags: ['x', 'set:s'], exclusions: ['2026-12-24', 'office'], calendars: ['office'] })],
      's',
    );
    expect(schedules).toEqual([
      {
        id: 'a',
        tags: ['x'],
        rule: { cron: '0 9 * * *' },
        exclusions: ['2026-12-24'],
        calendars: ['office'],
        retry: { maxAttempts: 3, baseDelay: 'PT1M', maxDelay: 'PT1H', jitter: true },
        target: { type: 'handler', name: 'log' },
      },
    ]);
    expect(notes).toEqual([]);
    expect(ScheduleFile.safeParse({ set: 's', schedules }).success).toBe(true);
  });

  it('an export names the schedules and values that it leaves out, and says why', () => {
    const { schedules, notes } = exportSchedules(
      [
        schedule({ id: 'delay', rule: { in: 'PT1H' } }),
        schedule({ id: 'rem_1' }),
        schedule({ id: 'other', tags: ['set:other'] }),
        schedule({ id: 'held', status: 'paused' }),
      ],
      null,
    );
    expect(schedules.map(({ id }) => id)).toEqual(['held']);
    expect(notes).toEqual([
      expect.stringMatching(/^1 left out, because its rule is a delay .*: delay$/),
      expect.stringMatching(/^1 left out, because Carillon makes it .*: rem_1$/),
      expect.stringMatching(/^1 left out, because it belongs to a set \(other\); use --set: other$/),
      '1 paused; a file does not hold pauses: held',
    ]);
  });

  it.each([
    `https://example.com/\${X}`,
    `https://example.com/$\${X}`,
    `https://example.com/$$$\${X}\${Y}`,
    `https://example.com/\${X`,
    'https://example.com/$$',
  ])(
    'an exported schedule file parses back to the same schedules, even if a text looks like a variable reference: %s',
    (text) => {
      const target = { type: 'webhook', url: text, headers: { note: text } } as const;
      const { schedules } = exportSchedules(
        [schedule({ target, onFailure: text, payload: { text: '0 9 * * *\n', on: 'no', url: text } })],
        null,
      );
      for (const format of ['yaml', 'json'] as const) {
        const { entries, problems } = parseScheduleFile(
          writeScheduleFile({ set: null, schedules }, format),
          'x',
          {},
        );
        expect(problems).toEqual([]);
        expect(entries[0]?.schedule).toMatchObject({
          target: { url: text, headers: { note: text } },
          onFailure: text,
          payload: { text: '0 9 * * *\n', on: 'no', url: text },
        });
      }
    },
  );
});
