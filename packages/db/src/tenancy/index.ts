export { type AuditFilter, type AuditView, listAudit, readAuditAfter } from './audit.js';
export { compareEncryptionKey, verifyEncryptionKey, WrongEncryptionKey } from './encryption-key.js';
export { createFeed, deleteFeed, type FeedScope, type FeedView, listFeeds, useFeed } from './feeds.js';
export { doOnce, type IdempotentResult, type KeptAnswer } from './idempotency.js';
export {
  createKey,
  ensureAdminKey,
  findKey,
  type KeyDraft,
  type KeyOwner,
  type KeyView,
  listKeys,
  readIssuedSecrets,
  revokeKey,
  type Scope,
  touchKeys,
  WrongAdminKey,
} from './keys.js';
export {
  createProject,
  type DefaultProject,
  editProject,
  listProjects,
  type ProjectDraft,
  type ProjectPatch,
  type ProjectView,
  readDefaultProject,
  readProject,
} from './projects.js';
export {
  type DelayedReceipt,
  delayReceipts,
  dropReceipts,
  type FailedRun,
  insertReceipts,
  readRunsWithFailureUrl,
  type TakenReceipt,
  takeReceipts,
} from './receipts.js';
export {
  type DeliverySettings,
  readDeliverySettings,
  readProjectSecrets,
  readScheduleSecrets,
  type SealNewSecret,
  setMissingSecrets,
  setProjectSecret,
} from './secrets.js';
export { createSession, endSession, endSessions, findSession } from './sessions.js';
