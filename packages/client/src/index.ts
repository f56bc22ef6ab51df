export { Carillon, type CarillonOptions } from './carillon.js';
export type { EventOptions } from './events.js';
export { Pages } from './pages.js';
export { setOfSchedule } from './schedule-set.js';
export type { ChangeOptions, EditOptions, PutOptions } from './transport/calls.js';
export { CarillonError, type ErrorKind, type FieldError, type Problem } from './transport/carillon-error.js';
export type { CallOptions } from './transport/transport.js';
export type * from './types/alert.js';
export type * from './types/bulk.js';
export type * from './types/calendar.js';
export type * from './types/event.js';
export type * from './types/feed.js';
export type * from './types/handler.js';
export type * from './types/instant.js';
export type * from './types/operations.js';
export type * from './types/plan.js';
export type * from './types/run.js';
export type * from './types/schedule.js';
export type * from './types/simulation.js';
export type * from './types/systems.js';
export type * from './types/target.js';
export type * from './types/tenancy.js';
export type * from './types/time.js';
export {
  type QueueDelivery,
  type ReportedBreach,
  verifyWebhook,
  verifyWebhookSignature,
  type WebhookAlert,
  type WebhookDelivery,
  type WebhookHeaders,
  type WebhookReceipt,
  type WebhookToVerify,
  WebhookVerificationError,
} from './verify-webhook.js';
