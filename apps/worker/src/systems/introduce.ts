import { encodeRunId, nameEvent, REMINDER_PREFIX, YEARLY_EVENT_PREFIX } from '@carillon/shared';
import type { Logger } from 'pino';
import type { Deliver } from '../targets/deliver.js';

/** What is known of a run only when it is delivered: a reminder is announced, this year's event gets its id. */
export function introduce(deliver: Deliver, log: Logger): Deliver {
  return (flight) => {
    const { run } = flight;
    if (run.scheduleKey.startsWith(REMINDER_PREFIX)) {
      const attempt = run.attempt - run.freeAttempts;
      log.info(
        { reminder: run.scheduleKey, attempt },
        `Processing reminder ${run.scheduleKey} (attempt ${attempt}/${run.plan.retry.maxAttempts})`,
      );
    } else if (run.scheduleKey.startsWith(YEARLY_EVENT_PREFIX) && run.payload !== null) {
      run.payload = nameEvent(run.payload, { key: run.scheduleKey, runId: encodeRunId(run) });
    }
    return deliver(flight);
  };
}
