import type { ReminderView } from '@carillon/db';
import { attemptKey, encodeRunId, localTime, type Reminder, reminderStatus } from '@carillon/shared';
import type { z } from 'zod';

/** A reminder as the API shows it: what was asked for from its schedule, how it went from its run. */
export function presentReminder(reminder: ReminderView): z.infer<typeof Reminder> {
  const { key, timing, plan, run } = reminder;
  const { message, recipient } = (reminder.payload ?? {}) as { message?: unknown; recipient?: unknown };
  const at = timing.rule.kind === 'at' ? timing.rule.at : (reminder.nextRunAt?.getTime() ?? null);
  const runId =
    run && encodeRunId({ scheduleId: reminder.id, occurrenceAt: run.occurrenceAt.getTime(), origin: 'rule' });
  const hasAttempt = run !== null && run.attempt > 0 && run.epoch !== null;
  return {
    id: key,
    message: String(message ?? ''),
    recipient: String(recipient ?? ''),
    at: at === null ? null : new Date(at).toISOString(),
    local: at === null ? null : localTime(at, timing.timezone),
    timezone: timing.timezone,
    target: plan.target,
    status: reminderStatus(reminder.status, run?.status ?? null),
    attemptCount: run?.attempt ?? 0,
    maxAttempts: plan.retry.maxAttempts,
    nextRetryAt: run?.status === 'retrying' ? (run.nextAttemptAt?.toISOString() ?? null) : null,
    lastError: run?.lastError ?? null,
    idempotencyKey: hasAttempt ? attemptKey(runId as string, run.attempt, run.epoch as number) : null,
    externalId: run?.externalId ?? null,
    runId,
    createdAt: reminder.createdAt.toISOString(),
  };
}
