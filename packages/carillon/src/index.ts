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
  // The server is loaded only here, because that takes two seconds of CPU time. Modules of handlers import this package
  // too, and they do not need the server.
  const { start } = await import('./run.js');
  return (await start(options)).carillon;
}
