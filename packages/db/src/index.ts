export * from './database.js';
export { isDatabaseAway, isTransientError } from './is-away.js';
export * from './lifecycle/cancel-run.js';
export * from './lifecycle/cancel-schedule.js';
export type { RunChangeRequest } from './lifecycle/change-run.js';
export * from './lifecycle/change-schedule.js';
export * from './lifecycle/create-schedules.js';
export { Creations } from './lifecycle/creations.js';
export * from './lifecycle/declare-schedules.js';
export * from './lifecycle/do-once.js';
export * from './lifecycle/edit-schedule.js';
export * from './lifecycle/locked-schedule.js';
export * from './lifecycle/move-next.js';
export * from './lifecycle/pause-failing.js';
export { pauseSchedule, resumeEnded, resumeSchedule } from './lifecycle/pause-resume.js';
export { promoteQueued } from './lifecycle/promote-queued.js';
export { setProjectSecret } from './lifecycle/replace-secret.js';
export * from './lifecycle/replay-runs.js';
export * from './lifecycle/set-calendar.js';
export * from './lifecycle/stop-many.js';
export * from './lifecycle/trigger-backfill.js';
export { migrate } from './migrate.js';
export * from './queries/claim-due.js';
export * from './queries/claim-waiting.js';
export * from './queries/close-runs.js';
export { ensurePartitions } from './queries/ensure-partitions.js';
export * from './queries/leases.js';
export { readStuckQueues } from './queries/open-runs.js';
export * from './queries/prune.js';
export * from './queries/read-clock.js';
export * from './queries/read-default-project.js';
export * from './queries/read-delivery-settings.js';
export * from './queries/read-due-projects.js';
export * from './queries/receipts.js';
export * from './queries/sweep.js';
export { warmUp } from './queries/warm-up.js';
export * from './queries/workers.js';
export * from './queries/write-progress.js';
export * from './reading/audit.js';
export * from './reading/calendars.js';
export * from './reading/events.js';
export * from './reading/forecast.js';
export * from './reading/keys.js';
export * from './reading/ledger.js';
export * from './reading/projects.js';
export {
  type AttemptView,
  listRuns,
  type RunCursor,
  type RunFilter,
  type RunStatus,
  type RunView,
  readAttempts,
  readRun,
} from './reading/runs.js';
export * from './reading/schedules.js';
export * from './reading/system.js';
export { requestHashOf } from './request-hash.js';
export * as schema from './schema/index.js';
export * from './secret-box.js';
export { type Added, addUserEvent, type SystemRequest } from './systems/add-user-event.js';
export * from './systems/create-user.js';
export * from './systems/delete-user.js';
export {
  type DomainEvent,
  type DomainEventType,
  forgetEvents,
  type HandledEvent,
  handleNextEvent,
} from './systems/domain-events.js';
export * from './systems/edit-user.js';
export * from './systems/reminders.js';
export type { RescheduleReport } from './systems/reschedule-events.js';
export * from './systems/scan-tasks.js';
export * from './systems/tasks.js';
export * from './systems/templates.js';
export * from './systems/users.js';
