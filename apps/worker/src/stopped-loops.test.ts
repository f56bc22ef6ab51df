import { expect, it } from 'vitest';
import type { WorkerContext } from './context.js';
import type { Drafts } from './intake/drafts.js';
import { SqlRequests } from './intake/sql-requests.js';
import { Claimer } from './pipeline/claim.js';
import type { InFlight } from './pipeline/in-flight.js';

// A sweep that is under way when its worker stops still calls `Claimer.ring` and `SqlRequests.handle`. After the stop,
// both must do nothing, however often they are called. They do not use their context then, so it is empty here.
const context = {} as WorkerContext;

it('a stopped worker claims nothing and reports no error, however often it is asked to claim', async () => {
  const claimer = new Claimer(context, {} as InFlight, { throttle: () => null }, () => {});
  await claimer.stop();
  await expect(Promise.all([claimer.ring(), claimer.ring()])).resolves.toBeDefined();
  await expect(claimer.ring()).resolves.toBeUndefined();
});

it('a stopped worker handles no requests by SQL and reports no error, however often it is asked to handle them', async () => {
  const requests = new SqlRequests(context, {} as Drafts, AbortSignal.abort());
  await expect(Promise.all([requests.handle(), requests.handle()])).resolves.toBeDefined();
  await expect(requests.handle()).resolves.toBeUndefined();
});
