/**
 * The prefix of reminder ids. Carillon generates these ids, and clients can't choose one with this prefix. It lets a
 * worker recognise a reminder without a query.
 */
export const REMINDER_PREFIX = 'rem_';
export const REMINDER_TAG = 'reminder';
export const REMINDER_STATUSES = [
    'scheduled',
    'processing',
    'completed',
    'pending_retry',
    'failed',
    'cancelled',
];
const BY_RUN = {
    queued: 'scheduled',
    running: 'processing',
    retrying: 'pending_retry',
    succeeded: 'completed',
    failed: 'failed',
    skipped: 'failed',
    cancelled: 'cancelled',
};
/** The state of a reminder, read from its run if there is one, or else from its schedule. */
export function reminderStatus(scheduleStatus, runStatus) {
    if (runStatus !== null)
        return BY_RUN[runStatus];
    return scheduleStatus === 'cancelled' ? 'cancelled' : 'scheduled';
}
//# sourceMappingURL=reminder.js.map