import { randomBytes } from 'node:crypto';
import type { ScheduleDefaults } from '@carillon/shared';
import type { Pool } from 'pg';
import { isDatabaseAway, isTransientError } from '../is-away.js';
import { findTasksToRemind, remindOfTask } from './remind-of-task.js';

type Say = (detail: object, message: string) => void;

export interface ScanOptions {
  defaults: ScheduleDefaults;
  log: { info: Say; warn: Say; error: Say };
  /** Only the tasks of this project; null for all. */
  projectId: number | null;
  /** Called when a reminder is in, so that it rings at once. */
  onSent: () => void;
  /** Milliseconds; the run is named after it. */
  startedAt: number;
  now?: number | null;
  /** Ends the scan after the task in hand; the rest is found again by the next. */
  signal?: AbortSignal;
  /** How the pauses between tries are waited for. */
  wait?: (ms: number) => Promise<void>;
}

export interface TaskScanResult {
  workerRunId: string;
  due: number;
  sent: number;
  skipped: number;
  failed: number;
}

/** After the first try, the second and the third. */
const PAUSES_MS = [1_000, 2_000, 4_000];
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Sends the reminders that are due, soonest first. One task's failure does not stop the rest; while Postgres is away
 * nothing can go on, so the run is given up and throws what it was given up for: the next one finds everything as it was.
 */
export async function scanTasks(pool: Pool, options: ScanOptions): Promise<TaskScanResult> {
  const { log, projectId, now = null } = options;
  const workerRunId = newRunId(options.startedAt);
  log.info({ workerRunId }, 'Task scan started');
  const beganAt = performance.now();
  const result = { workerRunId, due: 0, sent: 0, skipped: 0, failed: 0 };
  const durationMs = () => Math.round(performance.now() - beganAt);
  try {
    const ids = await tryAgain(() => findTasksToRemind(pool, { projectId, now }), { workerRunId }, options);
    result.due = ids.length;
    for (const id of ids) {
      if (options.signal?.aborted) break;
      result[await scanOne(pool, id, workerRunId, options)]++;
    }
  } catch (error) {
    log.error({ err: error, ...result, durationMs: durationMs() }, 'Task scan given up');
    throw error;
  }
  log.info({ ...result, durationMs: durationMs() }, 'Task scan ended');
  return result;
}

async function scanOne(
  pool: Pool,
  id: number,
  workerRunId: string,
  options: ScanOptions,
): Promise<'sent' | 'skipped' | 'failed'> {
  const { defaults, log, onSent, now = null } = options;
  try {
    // Each try looks at the flag anew: one that was cut off may have set it, or another scan may have.
    const remind = () => remindOfTask(pool, { id, workerRunId, defaults, now });
    const isOurs = await tryAgain(remind, { workerRunId, task: id }, options);
    if (isOurs) onSent();
    return isOurs ? 'sent' : 'skipped';
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    log.error({ err: error, task: id, workerRunId }, 'Task reminder failed');
    return 'failed';
  }
}

/** Does a piece of work again after 1, 2 and 4 s, where what went wrong may pass. */
async function tryAgain<T>(
  work: () => Promise<T>,
  what: object,
  { log, signal, wait = sleep }: Pick<ScanOptions, 'log' | 'signal' | 'wait'>,
): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isTransientError(error) || signal?.aborted) throw error;
      log.warn({ err: error, ...what, retryInMs: pauseMs }, 'Task scan will try again');
      await wait(pauseMs);
    }
  }
  return work();
}

/** `worker-run-2026-11-16-10-00-00-3f9c`: when it began, and which of those that began then. */
function newRunId(at: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replace(/[T:]/g, '-');
  return `worker-run-${time}-${randomBytes(2).toString('hex')}`;
}
