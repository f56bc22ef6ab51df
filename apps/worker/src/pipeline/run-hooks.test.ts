import type { ClaimedRun } from '@carillon/db';
import { expect, it } from 'vitest';
import type { EndedDelivery } from './finalize.js';
import { joinHooks } from './run-hooks.js';

it('the hooks of a feature are called only for runs whose schedule id begins with the feature’s prefix', () => {
  const calls: string[] = [];
  const hooks = joinHooks([
    {
      prefix: 'a_',
      beforeDelivery: ({ scheduleKey }) => void calls.push(`deliver ${scheduleKey}`),
      onLostClaim: (scheduleKey) => void calls.push(`lost ${scheduleKey}`),
    },
    { prefix: 'b_', afterClose: ({ flight }) => void calls.push(`closed ${flight.run.scheduleKey}`) },
  ]);
  for (const scheduleKey of ['a_1', 'b_1', 'plain']) {
    const run = { scheduleKey } as ClaimedRun;
    hooks.beforeDelivery(run);
    hooks.afterClose({ flight: { run } } as EndedDelivery);
    hooks.onLostClaim(scheduleKey);
  }
  expect(calls).toEqual(['deliver a_1', 'lost a_1', 'closed b_1']);
});
