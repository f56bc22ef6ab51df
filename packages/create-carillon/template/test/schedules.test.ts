import { startTestCarillon, startTestServers, type TestServers } from '@carillon/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendDigest } from '../src/handlers.ts';
import { morningDigest, nightlyCleanUp } from '../src/schedules.ts';

// The tests run the real engine on an embedded Postgres and Redis. Time stands still until a test moves it.

let servers: TestServers;
beforeAll(async () => {
  servers = await startTestServers();
}, 60_000);
afterAll(() => servers?.stop());

it('the digest goes out at nine in Berlin, before and after the clocks go back', async () => {
  await using test = await startTestCarillon({
    servers,
    now: '2026-10-24T00:00:00+02:00',
    schedules: [morningDigest],
  });
  await test.clock.advance('3 days');
  const runs = await test.client.runs.list({ schedule: 'morning-digest' }).take(10);
  expect(runs.map(({ occurrenceAt, status }) => [occurrenceAt, status]).sort()).toEqual([
    ['2026-10-24T07:00:00.000Z', 'succeeded'],
    // On 25 October 2026 the clocks of Berlin go back: nine o'clock comes 25 hours later.
    ['2026-10-25T08:00:00.000Z', 'succeeded'],
    ['2026-10-26T08:00:00.000Z', 'succeeded'],
  ]);
}, 60_000);

it('the clean-up at 02:30 runs at 03:00 in the night in which the clocks skip 02:30', async () => {
  await using test = await startTestCarillon({
    servers,
    now: '2027-03-28T00:00:00+01:00',
    schedules: [nightlyCleanUp],
  });
  await test.clock.advance('12 hours');
  const [run] = await test.client.runs.list({ schedule: 'nightly-clean-up' }).take(1);
  expect(run?.occurrenceAt).toBe('2027-03-28T01:00:00.000Z');
}, 60_000);

it('creating a digest for an invalid e-mail address is refused', async () => {
  await using test = await startTestCarillon({ servers, handlers: [sendDigest] });
  const creating = test.client.schedules.create({
    rule: { in: 'PT1H' },
    handler: sendDigest,
    payload: { to: 'nowhere' },
  });
  await expect(creating).rejects.toThrow('to:');
}, 60_000);
