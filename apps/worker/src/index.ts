export { readConfig } from './config.js';
export {
  type DeclaredSchedule,
  type Definitions,
  defineHandler,
  defineSchedule,
  type Handler,
  type HandlerDefinition,
  type HandlerOptions,
  type HandlerRun,
  type ScheduleDefinition,
} from './define.js';
export type { WorkerResources } from './open-parts.js';
export { Registry } from './registry.js';
export { type RunningWorker, startWorker } from './worker.js';
