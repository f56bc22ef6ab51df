import { describe, expect, it } from 'vitest';
import { readTarget } from './read-target.js';
import { readSchedule, requireRule } from './schedule-options.js';

const nowAt = Date.parse('2026-11-16T09:00:00Z');
const read = (options: Parameters<typeof readSchedule>[0]) => readSchedule(options, nowAt);

describe('readSchedule', () => {
  it('the options of `carillon schedules create` set the fields that they name, and no others', () => {
    expect(
      read({
        every: '15m',
        tz: 'Asia/Tokyo',
        target: 'queue:reports',
        payload: '{"a":1}',
        tag: ['x', 'y'],
        attempts: '5',
      }),
    ).toEqual({
      rule: { every: 'PT15M' },
      timezone: 'Asia/Tokyo',
      target: { type: 'queue', queue: 'reports' },
      payload: { a: 1 },
      tags: ['x', 'y'],
      retry: { maxAttempts: 5 },
    });
    expect(read({ at: '+2h' })).toEqual({ rule: { at: '2026-11-16T11:00:00.000Z' } });
    expect(read({ payload: 'null' })).toEqual({ payload: null });
  });

  it('the options of `carillon schedules create` must name exactly one rule', () => {
    expect(() => read({ every: '1h', cron: '* * * * *' })).toThrow(
      'expected one rule, got --cron and --every',
    );
    expect(() => requireRule(read({ name: 'x' }))).toThrow('missing rule; use --cron');
    expect(() => read({})).toThrow('no field of the schedule is given');
  });

  it('an invalid option of `carillon schedules create` is refused with the reason', () => {
    expect(() => read({ in: '1h', payload: '{' })).toThrow('--payload: ');
    expect(() => read({ in: '1h', 'max-runs': 'many' })).toThrow('--max-runs many: expected a number');
    expect(() => read({ file: '/nowhere/schedule.json' })).toThrow('cannot read /nowhere/schedule.json');
  });

  it('the option --target of the carillon command accepts a URL, a handler or a phone number', () => {
    expect(readTarget('https://example.com/a')).toEqual({ type: 'webhook', url: 'https://example.com/a' });
    expect(readTarget('handler:log')).toEqual({ type: 'handler', name: 'log' });
    expect(readTarget('call:+4930123456')).toEqual({ type: 'call', number: '+4930123456' });
    expect(() => readTarget('log')).toThrow('--target log: expected https://');
  });
});
