import type { ClaimedRun } from '@carillon/db';
import { expect, it } from 'vitest';
import { deliverToWebhook } from '../delivery/targets/webhook.js';
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

it('a run that reaches its time-out while the worker reads the settings of its project is deferred', async () => {
  const flight = new Flight(run);
  const deliver = deliverBy({} as never, {
    of: async () => {
      flight.abort('timeout');
      return { projectKey: 'default', limits: { handlers: null } } as never;
    },
  });
  expect(await deliver(flight)).toMatchObject({ kind: 'deferred', reasonCode: 'postgres_unavailable' });
});

it('a webhook that reaches its time-out while the worker reads its secrets is deferred, and nothing is sent', async () => {
  const target = { type: 'webhook', url: 'https://example.com', method: 'POST', headers: {} };
  const identity = { scheduleId: 1, occurrenceAt: 0, origin: 'rule' };
  const flight = new Flight({
    ...run,
    ...identity,
    plan: { target, timeoutMs: 1, hasSecret: true },
  } as never);
  const deliver = deliverToWebhook({
    poster: { addressOf: () => ({ origin: 'https://example.com' }) },
    traffic: { pass: (_passage: unknown, send: () => unknown) => send() },
    secrets: {
      of: async () => {
        flight.abort('timeout');
        return [];
      },
    },
  } as never);
  expect(await deliver(flight)).toMatchObject({ kind: 'deferred', reasonCode: 'postgres_unavailable' });
});
