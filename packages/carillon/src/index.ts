export { Carillon, CarillonError } from '@carillon/client';
export {
  type DeclaredSchedule,
  defineHandler,
  defineSchedule,
  type Handler,
  type HandlerDefinition,
  type HandlerOptions,
  type HandlerRun,
  type ScheduleDefinition,
} from '@carillon/worker/define';
export { type RunningCarillon, type RunOptions, run } from './run.js';
export {
  cancelIn,
  type SqlOptions,
  type SqlSchedule,
  scheduleIn,
  triggerIn,
  type UserTransaction,
} from './sql.js';
