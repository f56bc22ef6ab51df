export { readConfig } from './config.js';
export {
  defineHandler,
  defineSchedule,
  type Handler,
  type HandlerRun,
  type ScheduleDefinition,
} from './define.js';
export { type RunningWorker, startWorker } from './worker.js';
