import type { RunningCarillon, RunOptions } from './run.js';

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
export {
  cancelIn,
  type SqlOptions,
  type SqlSchedule,
  scheduleIn,
  triggerIn,
  type UserTransaction,
} from './sql.js';
export type { RunningCarillon, RunOptions };

/** Starts Carillon in this process: a worker with the given handlers and schedules, and the API if it is asked for. */
export async function run(options: RunOptions = {}): Promise<RunningCarillon> {
  // Modules of handlers import this package too, in every worker and in every process of an isolated handler. Only a
  // program that calls `run` loads the server, which takes two seconds of CPU time.
  const { start } = await import('./run.js');
  return (await start(options)).carillon;
}
