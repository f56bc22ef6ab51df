import { randomBytes } from 'node:crypto';
import { eventually, useDatabase, useReceiver } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { type Program, usePrograms } from '../use-programs.js';
import { useHttp } from './http.js';

const database = useDatabase();
const programs = usePrograms(database);
const receiver = useReceiver();
let api: Program & { url: string };
const ask = useHttp(() => api.url);

/**
 * An interval between sweeps (the periodic passes over Postgres) that is longer than this test, so only the sweep at
 * the start happens.
 */
const RARE_SWEEPS = { SWEEP_INTERVAL_MS: '600000', ARM_HORIZON_MS: '1800000' };

it('an alert is sent when the deadline of an objective passes, without waiting for a sweep', async () => {
  const env = {
    ...RARE_SWEEPS,
    CARILLON_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ALERT_GROUPING_MS: '0',
  };
  api = await programs.api({ env });
  const channel = { id: 'hook', type: 'webhook', url: receiver.url('status/200/hook') };
  expect(await ask('POST', '/v1/alert-channels', channel)).toMatchObject({ status: 201 });
  await ask('POST', '/v1/schedules', {
    id: 'late',
    rule: { at: new Date(Date.now() + 3_000).toISOString() },
    target: { type: 'handler', name: 'no-worker-has-it' },
    slo: { startWithin: 'PT5S' },
  });
  // The sweep at the start of the worker is the only one. It finds the deadline, which has not passed yet.
  const worker = await programs.worker({ env });
  const [message] = await eventually(
    () => receiver.to('status/200/hook').length > 0 && receiver.to('status/200/hook'),
  );
  expect(JSON.parse(message?.body ?? '{}')).toMatchObject({ opened: [{ scheduleId: 'late' }] });
  expect(worker.lines.map(({ msg }) => msg)).toContain('Objectives breached');
});
