import { insertSchedules, useDatabase, useReceiver } from '@carillon/testkit';
import { beforeEach, expect, it } from 'vitest';
import { claimAll, useParts } from './support.js';

const database = useDatabase();
const receiver = useReceiver();
const env = () => ({ HEARTBEAT_URL: receiver.url('status/200/monitor'), HEARTBEAT_INTERVAL_SECONDS: '3600' });
const workers = [useParts(database, env), useParts(database, env)] as const;

let pingsBefore = 0;
const allPings = () => receiver.to('status/200/monitor').length;
const pings = () => allPings() - pingsBefore;
const HOUR_AGO = `now() - interval '1 hour'`;
const setPingedAt = (at: string) =>
  database.pool.query(`update carillon.installation set monitor_pinged_at = ${at}`);
beforeEach(() => {
  pingsBefore = allPings();
});

it('two workers together send the outside monitor one request (ping) per interval', async () => {
  const pingFromBoth = () => Promise.all(workers.map(({ parts }) => parts.pingMonitor()));
  for (let n = 0; n < 3; n++) await pingFromBoth();
  expect(pings()).toBe(1);
  await setPingedAt(HOUR_AGO);
  for (let n = 0; n < 3; n++) await pingFromBoth();
  expect(pings()).toBe(2);
});

it('the outside monitor gets no request (ping) while a run is overdue, and gets one again when no run is overdue', async () => {
  await setPingedAt('null');
  const [{ parts, messages, context }] = workers;
  const dueAt = Date.now() - 60_000;
  const target = { type: 'webhook' as const, url: receiver.url('status/200/due'), headers: {} };
  await insertSchedules(database, [{ rule: { at: new Date(dueAt).toISOString() }, target }], {
    nowAt: dueAt - 1,
  });
  await parts.pingMonitor();
  expect(pings()).toBe(0);
  expect(messages).toContain('The outside monitor is not pinged, because runs are overdue');
  expect((await claimAll(context)).flights).toHaveLength(1);
  await parts.pingMonitor();
  expect(pings()).toBe(1);
});

it('a due schedule whose handler no live worker has does not stop the requests (pings) to the outside monitor', async () => {
  await setPingedAt('null');
  const dueAt = Date.now() - 60_000;
  const target = { type: 'handler' as const, name: 'not-deployed' };
  await insertSchedules(database, [{ rule: { at: new Date(dueAt).toISOString() }, target }], {
    nowAt: dueAt - 1,
  });
  await workers[0].parts.pingMonitor();
  expect(pings()).toBe(1);
});
