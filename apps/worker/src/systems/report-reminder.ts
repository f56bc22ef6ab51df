import { REMINDER_PREFIX } from '@carillon/shared';
import type { WorkerContext } from '../context.js';
import type { Done } from '../finalize.js';

type Reporting = Pick<WorkerContext, 'log' | 'metrics'>;

/**
 * Says in words what became of a reminder, and counts what its operators watch: how many are processed, how many fail,
 * how many need a retry, how often two workers reach for one. Costs other runs a look at their id.
 */
export function reportReminder({ log, metrics }: Reporting, { flight, closed, outcome }: Done): void {
  const { scheduleKey: reminder, attempt, freeAttempts } = flight.run;
  if (!reminder.startsWith(REMINDER_PREFIX)) return;
  if (closed.status === 'succeeded') {
    metrics.count('carillon_reminders_total', 1, 'outcome="completed"');
    log.info({ reminder, externalId: closed.externalId }, `Call initiated for reminder ${reminder}`);
  } else if (closed.status === 'failed') {
    metrics.count('carillon_reminders_total', 1, 'outcome="failed"');
    log.error({ reminder, error: closed.error }, `Reminder ${reminder} permanently failed`);
  } else if (outcome.kind === 'failed') {
    // Each reminder counts once, however often it is tried.
    if (attempt - freeAttempts === 1) metrics.count('carillon_reminders_retried_total');
    const { error, retryInMs } = closed;
    log.warn({ reminder, error, retryInMs }, `Reminder ${reminder} failed, scheduling retry`);
  }
}

/** Somebody else was quicker. */
export function reportContention({ log, metrics }: Reporting, scheduleKey: string): void {
  if (!scheduleKey.startsWith(REMINDER_PREFIX)) return;
  metrics.count('carillon_reminders_contended_total');
  log.debug({ reminder: scheduleKey }, `Reminder ${scheduleKey} already being processed`);
}
