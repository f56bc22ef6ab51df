import { REMINDER_PREFIX } from '@carillon/shared';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.js';
import type { PrefixedHooks } from '../pipeline/run-hooks.js';

/**
 * Logs each step of a reminder, and counts completed, failed, retried and contended reminders (contended: another
 * worker was already processing the reminder).
 */
export function reminderHooks({ log, metrics }: { log: Logger; metrics: Metrics }): PrefixedHooks {
  return {
    prefix: REMINDER_PREFIX,
    beforeDelivery({ projectId, scheduleKey: reminder, attempt: attempts, freeAttempts, plan }) {
      const attempt = attempts - freeAttempts;
      log.info(
        { projectId, reminder, attempt },
        `Processing reminder ${reminder} (attempt ${attempt}/${plan.retry.maxAttempts})`,
      );
    },
    afterClose({ flight, closed, outcome }) {
      const { projectId, scheduleKey: reminder, attempt, freeAttempts } = flight.run;
      if (closed.status === 'succeeded') {
        metrics.count('carillon_reminders_total', 1, 'outcome="completed"');
        log.info(
          { projectId, reminder, externalId: closed.externalId },
          `Call initiated for reminder ${reminder}`,
        );
      } else if (closed.status === 'failed') {
        metrics.count('carillon_reminders_total', 1, 'outcome="failed"');
        log.error({ projectId, reminder, error: closed.error }, `Reminder ${reminder} permanently failed`);
      } else if (outcome.kind === 'failed') {
        // A reminder is counted as retried once, however many retries it has.
        if (attempt - freeAttempts === 1) metrics.count('carillon_reminders_retried_total');
        const { error, retryInMs } = closed;
        log.warn({ projectId, reminder, error, retryInMs }, `Reminder ${reminder} failed, scheduling retry`);
      }
    },
    onLostClaim(reminder) {
      metrics.count('carillon_reminders_contended_total');
      log.debug({ reminder }, `Reminder ${reminder} already being processed`);
    },
  };
}
