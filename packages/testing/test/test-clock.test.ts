import { testServers } from '@carillon/testkit';
import { defineHandler, defineSchedule } from 'carillon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCarillon, type TestCarillon, toMilliseconds } from '../src/index.js';

const fired: { at: string; now: string; attempt: number }[] = [];
let test: TestCarillon;

const remember = defineHandler({
  name: 'remember',
  run({ occurrenceAt, attempt }) {
    fired.push({ at: occurrenceAt.toISOString(), now: test.clock.now().toISOString(), attempt });
    if (attempt < 3) throw new Error('not yet');
  },
});
const daily = defineSchedule({
  name: 'daily',
  cron: '30 2 * * *',
  timezone: 'Europe/Berlin',
  handler: remember,
  retry: { baseDelay: 'PT10M', jitter: false },
});

beforeAll(async () => {
  test = await startTestCarillon({
    now: '2027-03-26T12:00:00+01:00',
    handlers: [remember],
    schedules: [daily],
    servers: testServers(),
  });
});
afterAll(() => test?.stop());

describe('The test clock', () => {
  it('no schedule fires until a test advances the test clock, and the API uses the time of that clock', async () => {
    const schedule = await test.client.schedules.get('daily');
    expect(schedule).toMatchObject({
      createdAt: '2027-03-26T11:00:00.000Z',
      nextRunAt: '2027-03-27T01:30:00.000Z',
    });
    const { occurrences } = await test.client.rules.preview({ rule: { in: 'PT1H' } });
    expect(occurrences[0]?.at).toBe('2027-03-26T12:00:00.000Z');
    expect(fired).toEqual([]);
  });

  it('advancing the test clock runs each occurrence and each retry at its own time, even across a DST gap', async () => {
    await test.clock.advance('3 days');
    expect(test.clock.now()).toEqual(new Date('2027-03-29T11:00:00Z'));
    const attemptsAt = (at: string, ...nows: string[]) =>
      nows.map((now, index) => ({ at, now, attempt: index + 1 }));
    expect(fired).toEqual([
      ...attemptsAt(
        '2027-03-27T01:30:00.000Z',
        '2027-03-27T01:30:00.000Z',
        '2027-03-27T01:40:00.000Z',
        '2027-03-27T02:00:00.000Z',
      ),
      // On 28 March 2027 the clocks of Berlin skip from two to three, and 02:30 does not exist: the run comes at three.
      ...attemptsAt(
        '2027-03-28T01:00:00.000Z',
        '2027-03-28T01:00:00.000Z',
        '2027-03-28T01:10:00.000Z',
        '2027-03-28T01:30:00.000Z',
      ),
      ...attemptsAt(
        '2027-03-29T00:30:00.000Z',
        '2027-03-29T00:30:00.000Z',
        '2027-03-29T00:40:00.000Z',
        '2027-03-29T01:00:00.000Z',
      ),
    ]);
    const runs = [];
    for await (const run of test.client.runs.list({ schedule: 'daily' })) runs.push(run.status);
    expect(runs).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('a paused schedule runs again once the test clock has passed the end of the pause', async () => {
    await test.client.schedules.pause('daily', { until: '2027-03-31T12:00:00Z' });
    fired.length = 0;
    await test.clock.advanceTo('2027-03-31T11:59:00Z');
    expect(fired).toEqual([]);
    await test.clock.advance('1 day');
    expect(fired.map(({ at }) => at)).toContain('2027-04-01T00:30:00.000Z');
  });

  it('the test clock cannot go back, and refuses text that is not a duration', async () => {
    await expect(test.clock.advanceTo('2027-01-01T00:00:00Z')).rejects.toThrow('time only moves forward');
    await expect(async () => test.clock.advance('soon')).rejects.toThrow('"soon" is not a duration');
    expect(['1 day', '90 minutes', 'PT1H30M', 'P1DT1S', 250].map(toMilliseconds)).toEqual([
      86_400_000, 5_400_000, 5_400_000, 86_401_000, 250,
    ]);
  });
});
