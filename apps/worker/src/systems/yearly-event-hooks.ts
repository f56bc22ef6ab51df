import { encodeRunId, nameEvent, YEARLY_EVENT_PREFIX } from '@carillon/shared';
import type { PrefixedHooks } from '../pipeline/run-hooks.js';

/** Gives each year's delivery of a birthday or another yearly event its own event id. */
export const yearlyEventHooks: PrefixedHooks = {
  prefix: YEARLY_EVENT_PREFIX,
  beforeDelivery(run) {
    if (run.payload !== null)
      run.payload = nameEvent(run.payload, { key: run.scheduleKey, runId: encodeRunId(run) });
  },
};
