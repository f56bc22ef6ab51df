/** The ids of reminders: we make them, nobody chooses one. By it a worker knows, at no cost, what it reports in words. */
export const REMINDER_PREFIX = 'rem_';
export const REMINDER_TAG = 'reminder';

export const REMINDER_STATUSES = [
  'scheduled',
  'processing',
  'completed',
  'pending_retry',
  'failed',
  'cancelled',
] as const;
export type ReminderStatus = (typeof REMINDER_STATUSES)[number];

const BY_RUN = {
  queued: 'scheduled',
  running: 'processing',
  retrying: 'pending_retry',
  succeeded: 'completed',
  failed: 'failed',
  skipped: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<string, ReminderStatus>;

/** How a reminder stands: by its run where there is one, else by its schedule. */
export function reminderStatus(
  scheduleStatus: string,
  runStatus: keyof typeof BY_RUN | null,
): ReminderStatus {
  if (runStatus !== null) return BY_RUN[runStatus];
  return scheduleStatus === 'cancelled' ? 'cancelled' : 'scheduled';
}
