/**
 * The prefix of reminder ids. Carillon generates these ids, and clients can't choose one with this prefix. It lets a
 * worker recognise a reminder without a query.
 */
export declare const REMINDER_PREFIX = "rem_";
export declare const REMINDER_TAG = "reminder";
export declare const REMINDER_STATUSES: readonly ['scheduled', 'processing', 'completed', 'pending_retry', 'failed', 'cancelled'];
export type ReminderStatus = (typeof REMINDER_STATUSES)[number];
declare const BY_RUN: {
    readonly queued: 'scheduled';
    readonly running: 'processing';
    readonly retrying: 'pending_retry';
    readonly succeeded: 'completed';
    readonly failed: 'failed';
    readonly skipped: 'failed';
    readonly cancelled: 'cancelled';
};
/** The state of a reminder, read from its run if there is one, or else from its schedule. */
export declare function reminderStatus(scheduleStatus: string, runStatus: keyof typeof BY_RUN | null): ReminderStatus;
export {};
