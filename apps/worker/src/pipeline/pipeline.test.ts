import type { ClaimedRun } from '@carillon/db';
import { expect, it } from 'vitest';
import { Flight } from './in-flight.js';
import { deliverBy } from './pipeline.js';

const refusal = Object.assign(new Error('permission denied for table projects'), {
  severity: 'ERROR',
  code: '42501',
});
const run = { projectId: 1, plan: { target: { type: 'handler', name: 'noop' } } } as unknown as ClaimedRun;

it.each([
  ['is deferred if nothing was sent', null, { kind: 'deferred', reasonCode: 'postgres_unavailable' }],
  ['fails if the delivery had begun', 1, { kind: 'failed', errorCode: 'error' }],
])('if Postgres refuses a statement during a delivery, the run %s', async (_when, sentAt, outcome) => {
  const flight = new Flight(run);
  flight.sentAt = sentAt;
  const refuse = () => Promise.reject(refusal);
  const targets = { handler: refuse, webhook: refuse, queue: refuse, call: refuse, heartbeat: refuse };
  const limits = { handlers: null } as never;
  const deliver = deliverBy(targets as never, { of: () => ({ projectKey: 'default', limits }) as never });
  expect(await deliver(flight)).toMatchObject(outcome);
});
