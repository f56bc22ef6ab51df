import { encodeRunId, nameEvent, YEARLY_EVENT_PREFIX } from '@carillon/shared';
import type { PrefixedHooks } from '../pipeline/run-hooks.js';

/** Birthdays and other yearly events: each year's delivery carries an event id of its own. */
export const yearlyEventHooks: PrefixedHooks = {
  prefix: YEARLY_EVENT_PREFIX,
  beforeDelivery(run) {
    if (run.payload !== null)
      run.payload = nameEvent(run.payload, { key: run.scheduleKey, runId: encodeRunId(run) });
  },
};
