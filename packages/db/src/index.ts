export * from './alerts/index.js';
export { type Database, inTransaction, openDatabase, type Transaction } from './database.js';
export { type LiveWorker, readLiveWorkers, readMonthsAhead } from './doctor/installation-state.js';
export {
  type DeadRows,
  type OpenTransaction,
  readDeadRows,
  readInvalidIndexes,
  readLongestTransaction,
  readServerFacts,
  type ServerFacts,
} from './doctor/server-facts.js';
export { findSchedulesWithQueue, readStuckQueues } from './engine/admit-runs.js';
export {
  type Claim,
  type ClaimedRun,
  type ClaimOptions,
  type FailedRun,
  NOTHING_CLAIMED,
} from './engine/claim.js';
export { claimDue } from './engine/claim-due.js';
export { type ClaimWaitingOptions, claimWaiting, type WaitingClaim } from './engine/claim-waiting.js';
export {
  type ClosedRun,
  type CloseOptions,
  closeRuns,
  type Receipt,
  toClosedRun,
} from './engine/close-runs.js';
export { type Claimant, type Holder, readGeneration, StaleGeneration } from './engine/fencing.js';
export { handBackUnbegun, type UnbegunAttempt } from './engine/hand-back-late.js';
export {
  extendLeases,
  findCancelled,
  handBackUnknownLeases,
  type RescuedRun,
  rescueRuns,
} from './engine/leases.js';

export { type ProjectShare, readProjectsWith } from './engine/project-shares.js';

export {
  type MissedRuns,
  readMissed,
  readMissingHandlers,
  readNextDue,
  readSlots,
  readUnchangedSlots,
  recordSweep,
} from './engine/sweep.js';
export { warmUp } from './engine/warm-up.js';
export {
  addMetrics,
  type Counter,
  type Heartbeat,
  readClock,
  readLiveHandlers,
  registerWorker,
  sendHeartbeat,
  signOff,
} from './engine/workers.js';
export {
  explainCertificate,
  isBadData,
  isDatabaseAway,
  isDatabaseError,
  isTransientError,
  UnsupportedDatabase,
} from './errors.js';
export { type Attention, type AttentionList, readAttention } from './history/attention.js';
export { type AuditPosition, auditOccurrences, type FoundDifference } from './history/audit-occurrences.js';
export {
  type AuditProgress,
  readAuditState,
  readNextProject,
  saveAuditProgress,
} from './history/audit-progress.js';
export { type CounterWindows, readCounterWindows } from './history/counter-windows.js';
export { readEngineFacts } from './history/engine-facts.js';
export {
  type ClaimedRunView,
  type HistoryPosition,
  readEndedRuns,
  readInFlightOfProject,
  readRunsByEpoch,
  readRunsSince,
  readStoppedRuns,
  readWatermark,
  type Watermark,
} from './history/events.js';
export { explainOccurrences, type NamedOccurrence } from './history/explain-occurrences.js';
export {
  type FeedGap,
  type FeedRun,
  type FeedSchedule,
  readFeedGaps,
  readFeedRuns,
  readFeedSchedules,
} from './history/feed-occurrences.js';
export {
  type ForecastGroup,
  type MinuteSchedule,
  readDueWithin,
  readForecastOfMatching,
  readNextFires,
  readSchedulesOfGroups,
} from './history/forecast.js';
export {
  addLaterFires,
  countFires,
  type FiresByMinute,
  type Forecast,
  laterFiresIn,
  minuteOf,
} from './history/forecast-fires.js';
export {
  type ComingGroup,
  countComingFires,
  type InstallationFigures,
  readComingGroups,
  readInstallationFigures,
} from './history/installation-figures.js';
export {
  type BulkReplayView,
  type DeferralView,
  type Gap,
  type HeldDefinition,
  MAX_DEFINITIONS,
  MAX_GAPS,
  MAX_STEPS_PER_PAGE,
  readAttemptsBetween,
  readBulkReplaysBetween,
  readDeferralsBetween,
  readDefinitions,
  readGapsBetween,
  readRunsBetween,
} from './history/ledger.js';
export { readHistoryStart } from './history/occurrence-audit.js';
export { ensurePartitions } from './history/partitions.js';
export {
  type ChangesRange,
  type RunChange,
  readRunChanges,
  readScheduleChanges,
  type ScheduleChange,
} from './history/schedule-changes.js';
export {
  computeStats,
  readStats,
  type StatsRange,
  type StatsRow,
} from './history/stats.js';
export {
  type DueForecast,
  readForecastsDue,
  readStoredForecast,
  readStoredGroups,
  type StoredForecast,
  type StoredGroups,
  storeForecast,
} from './history/stored-forecasts.js';
export {
  listWorkers,
  readMetrics,
  readSystem,
  type SystemFigures,
  type WorkerView,
} from './history/system.js';
export { migrate, verifyMigrated } from './migrate.js';
export { explainPooler, probePooler, verifyPooler } from './pooler.js';
export { PostgresWatch } from './postgres-watch.js';
export { requestHashOf } from './request-hash.js';
export * from './requests/index.js';
export * from './restore/index.js';
export * from './retention/index.js';
export { cancelRun, type RunChangeRequest, replayRun } from './runs/change-run.js';
export { type DeadLetterGroup, type DeadLetters, readDeadLetters } from './runs/dead-letters.js';
export type { FailedRunFilter } from './runs/failed-runs.js';
export { readInFlight } from './runs/read-in-flight.js';
export { readLatenessOfEnded } from './runs/read-lateness.js';
export { type RecentRun, readRecentRuns } from './runs/read-recent.js';
export {
  type AttemptView,
  listRuns,
  type RunCursor,
  type RunFilter,
  type RunView,
  readAttempts,
  readRun,
} from './runs/read-runs.js';
export {
  previewReplay,
  type ReplayPreview,
  type ReplayRequest,
  type ReplayResult,
  replayFailed,
} from './runs/replay-failed.js';
export { findLatestSent, findPinged, type ReportedRun, reportRun } from './runs/report-run.js';
export { RUN_TRANSITIONS, type RunKey, type RunStatus } from './runs/run-transitions.js';
export { writeProgress } from './runs/write-progress.js';
export {
  type BulkActionView,
  createBulkAction,
  findBulkAction,
  finishBulkAction,
  listBulkActions,
  readBulkAction,
  reportBulkAction,
} from './schedules/bulk-actions.js';
export { type CancelResult, cancelSchedule } from './schedules/cancel-schedule.js';
export {
  type ChangeManyResult,
  rescheduleNextOfMany,
  resumeMany,
  skipNextOfMany,
  triggerMany,
} from './schedules/change-many.js';
export { ChangeRefused, type ChangeRequest, type ChangeResult } from './schedules/change-schedule.js';
export { type CreateResult, createSchedules, type Draft, OverLimit } from './schedules/create-schedules.js';
export { readCreatedTraces, recordCreatedTrace } from './schedules/created-trace.js';
export { type DeclarationReport, declareSchedules } from './schedules/declare-schedules.js';
export {
  type Definition,
  type EditResult,
  editSchedule,
  replaceSchedule,
} from './schedules/edit-schedule.js';
export { GroupCreates } from './schedules/group-creates.js';
export { countSchedules, findScheduleKeys } from './schedules/match-schedules.js';
export { rescheduleNext, skipNext } from './schedules/move-next.js';
export { type Pause, pauseFailing, pauseGone, pauseSchedule } from './schedules/pause-schedule.js';
export { promoteQueued } from './schedules/promote-queued.js';
export { type PurgeResult, purgeSchedule } from './schedules/purge-schedule.js';
export {
  listDefinitions,
  listNextSchedules,
  listSchedulePage,
  listSchedules,
  type NextCursor,
  readSchedule,
  type ScheduleView,
} from './schedules/read-schedules.js';
export { type DefinitionView, readVersions } from './schedules/read-versions.js';
export { listZonedSchedules, type ZonedSchedule } from './schedules/read-zoned.js';
export { resumeEnded, resumeSchedule } from './schedules/resume-schedule.js';
export type { ScheduleStatus } from './schedules/schedule-columns.js';
export type { ScheduleFilter } from './schedules/schedule-filter.js';
export { SCHEDULE_TRANSITIONS } from './schedules/schedule-transitions.js';
export { cancelMany, pauseMany, type StopManyResult, type StopRequest } from './schedules/stop-many.js';
export { type Backfill, backfillSchedule, triggerSchedule } from './schedules/trigger-backfill.js';
export {
  readTzdata,
  readTzdataPeriods,
  stepTzdata,
  type TzdataState,
  type TzdataStep,
} from './schedules/tzdata.js';
export * as schema from './schema/index.js';
export { SecretBox } from './secret-box.js';
export * from './systems/index.js';
export * from './tenancy/index.js';
export { createTestDatabase, dropTestDatabase, readNextDueAt, setTestClock } from './test-clock.js';
