import { describe, expect, it } from 'vitest';
import { importEventbridge } from './eventbridge.js';
import { convertEventbridgeCron } from './eventbridge-cron.js';

const schedule = (fields: object) => ({
  Name: 'invoices',
  GroupName: 'default',
  ScheduleExpression: 'cron(0 9 ? * 2-6 *)',
  ScheduleExpressionTimezone: 'America/New_York',
  State: 'ENABLED',
  FlexibleTimeWindow: { Mode: 'OFF' },
  Target: {
    Arn: 'arn:aws:lambda:eu-west-1:1:function:x',
    RoleArn: 'arn:aws:iam::1:role/x',
    Input: '{"a":1}',
  },
  ...fields,
});

describe('importEventbridge', () => {
  it('a cron schedule of EventBridge keeps its weekdays, zone and input', () => {
    expect(importEventbridge([schedule({})]).drafts).toMatchObject([
      {
        source: 'invoices',
        schedule: {
          id: 'eventbridge-invoices',
          rule: { cron: '0 9 * * 1-5' },
          timezone: 'America/New_York',
          payload: { a: 1 },
        },
        remarks: [
          'has no equivalent: target arn:aws:lambda:eu-west-1:1:function:x; deliveries go to --target',
        ],
      },
    ]);
  });

  it.each([
    ['rate(5 minutes)', { every: 'PT5M' }],
    ['rate(1 day)', { every: 'P1D' }],
    ['at(2036-03-29T09:00:00)', { at: '2036-03-29T09:00:00' }],
    ['cron(15 10 L * ? *)', { cron: '15 10 L * *' }],
  ])('the expression %s of EventBridge becomes the rule %j', (ScheduleExpression, rule) => {
    expect(importEventbridge([schedule({ ScheduleExpression })]).drafts[0]?.schedule.rule).toEqual(rule);
  });

  it.each([
    ['0 9 ? * 1 *', '0 9 * * 0'],
    ['0 9 ? * 7,1 *', '0 9 * * 6,0'],
    ['0 9 ? * 6L *', '0 9 * * 5L'],
    ['0 9 ? * 2#1 *', '0 9 * * 1#1'],
    ['0 9 ? * MON-FRI *', '0 9 * * MON-FRI'],
    ['0 9 ? * L *', '0 9 * * 6'],
  ])(
    'the EventBridge expression cron(%s), in which Sunday is 1, becomes a cron rule, in which Sunday is 0',
    (text, cron) => {
      expect(convertEventbridgeCron(text)).toMatchObject({ cron, startAt: null, endAt: null });
    },
  );

  it('a range of years of EventBridge becomes startAt and endAt, and a list of years is refused', () => {
    expect(convertEventbridgeCron('0 9 1 * ? 2030-2031')).toEqual({
      cron: '0 9 1 * *',
      startAt: '2030-01-01T00:00:00',
      endAt: '2031-12-31T23:59:59',
    });
    expect(convertEventbridgeCron('0 9 1 * ? 2030,2032')).toContain('has no equivalent: the years 2030,2032');
  });

  it('the flexible window of EventBridge becomes a jitter, and settings without an equivalent in Carillon are reported', () => {
    const [draft] = importEventbridge([
      schedule({
        GroupName: 'billing',
        State: 'DISABLED',
        StartDate: 1893456000,
        EndDate: '2031-01-01T00:00:00Z',
        ActionAfterCompletion: 'DELETE',
        FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 },
        Target: {
          RetryPolicy: { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86400 },
          DeadLetterConfig: { Arn: 'x' },
          Input: 'plain text',
        },
      }),
    ]).drafts;
    expect(draft?.schedule).toMatchObject({
      id: 'eventbridge-billing-invoices',
      jitter: 'PT15M',
      startAt: '2030-01-01T00:00:00.000Z',
      endAt: '2031-01-01T00:00:00.000Z',
      retry: { maxAttempts: 100 },
      payload: 'plain text',
    });
    const said = draft?.remarks.join('\n');
    for (const word of ['flexible window', 'DISABLED', '185 retries', 'EventAge', 'DeadLetter', 'DELETE'])
      expect(said).toContain(word);
  });

  it('entries of EventBridge’s ListSchedules, which have no rule, are refused with advice on how to export them', () => {
    const { refusals } = importEventbridge([{ Schedules: [{ Name: 'a', GroupName: 'default' }] }]);
    expect(refusals).toMatchObject([{ source: 'a', reason: expect.stringContaining('GetSchedule') }]);
  });
});
