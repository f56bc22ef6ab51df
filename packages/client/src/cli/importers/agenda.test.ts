import { describe, expect, it } from 'vitest';
import { importAgenda } from './agenda.js';
import { readHumanInterval } from './read-human-interval.js';

const next = '2036-11-19T09:00:00.000Z';

describe('importAgenda', () => {
  it('an Agenda job of a MongoDB export becomes a schedule, and a job that has ended is left out', () => {
    const { drafts, refusals } = importAgenda([
      {
        _id: { $oid: '65' },
        name: 'send digest',
        type: 'single',
        repeatInterval: '0 9 * * 1-5',
        repeatTimezone: 'Europe/Berlin',
        nextRunAt: { $date: next },
        data: { to: 'all' },
        priority: 10,
        skipDays: [0, 6],
      },
      { name: 'over', nextRunAt: null, lastRunAt: { $date: next } },
    ]);
    expect(refusals).toEqual([]);
    expect(drafts).toMatchObject([
      {
        source: 'send digest 65',
        schedule: {
          id: 'agenda-send-digest',
          rule: { cron: '0 9 * * 1-5' },
          timezone: 'Europe/Berlin',
          overlap: 'skip',
          payload: { to: 'all' },
        },
        remarks: [expect.stringContaining('priority 10'), expect.stringContaining('skipDays 0,6')],
      },
    ]);
  });

  it('a row of Agenda’s Postgres table becomes a schedule, whose interval continues from the next run of the job', () => {
    const [draft] = importAgenda([{ name: 'poll', repeat_interval: '5000', next_run_at: next }]).drafts;
    expect(draft?.schedule).toMatchObject({ rule: { every: 'PT5S' }, startAt: next });
  });

  it.each([
    [{ repeatInterval: '3 minutes', nextRunAt: next }, { every: 'PT3M' }],
    [{ repeatInterval: 60000, nextRunAt: next }, { every: 'PT1M' }],
    [{ repeatAt: '3:30pm' }, { cron: '30 15 * * *' }],
    [{ repeatAt: '12am' }, { cron: '0 0 * * *' }],
    [{ nextRunAt: next }, { at: next }],
  ])('the job %j of Agenda becomes the rule %j', (job, rule) => {
    expect(importAgenda([{ name: 'x', ...job }]).drafts[0]?.schedule.rule).toEqual(rule);
  });

  it('an interval of Agenda whose length is not fixed, such as months, is refused', () => {
    const { refusals } = importAgenda([
      { name: 'x', repeatInterval: '3 months' },
      { name: 'y', repeatAt: 'noon' },
    ]);
    expect(refusals.map(({ reason }) => reason)).toEqual([
      'has no equivalent: the interval "3 months"; write a cron rule or an ISO 8601 duration',
      expect.stringContaining('repeatAt "noon"'),
    ]);
  });

  it('an Agenda interval in English such as "3 minutes" is parsed into milliseconds', () => {
    expect(
      ['one hour', '1 hour and 30 minutes', 'week', '2.5 days', '', 'soon'].map(readHumanInterval),
    ).toEqual([3_600_000, 5_400_000, 604_800_000, 216_000_000, null, null]);
  });
});
