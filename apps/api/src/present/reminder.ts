import type { ReminderView } from '@carillon/db';
import {
  attemptKey,
  encodeRunId,
  localTime,
  type Reminder,
  redactTarget,
  reminderStatus,
} from '@carillon/shared';
import type { z } from 'zod';
import { iso } from './iso.js';

/**
 * A reminder as the API shows it: its time and message come from its schedule, its result comes from the run of that
 * schedule.
 */
export function presentReminder(reminder: ReminderView): z.infer<typeof Reminder> {
  const { key, timing, plan, run } = reminder;
  const { message, recipient } = (reminder.payload ?? {}) as { message?: unknown; recipient?: unknown };
  const at = timing.rule.kind === 'at' ? timing.rule.at : reminder.nextRunAt;
  const runId =
    run && encodeRunId({ scheduleId: reminder.id, occurrenceAt: run.occurrenceAt, origin: 'rule' });
  const hasAttempt = run !== null && run.attempt > 0 && run.epoch !== null;
  return {
    id: key,
    message: String(message ?? ''),
    recipient: String(recipient ?? ''),
    at: iso(at),
    local: at === null ? null : localTime(at, timing.timezone),
    timezone: timing.timezone,
    target: redactTarget(plan.target),
    status: reminderStatus(reminder.status, run?.status ?? null),
    attemptCount: run?.attempt ?? 0,
    maxAttempts: plan.retry.maxAttempts,
    nextRetryAt: run?.status === 'retrying' ? iso(run.nextAttemptAt) : null,
    lastError: run?.lastError ?? null,
    idempotencyKey: hasAttempt ? attemptKey(runId as string, run.attempt, run.epoch as number) : null,
    externalId: run?.externalId ?? null,
    runId,
    createdAt: iso(reminder.createdAt),
  };
}
