import { randomBytes } from 'node:crypto';
import type { ScheduleDefaults } from '@carillon/shared';
import type { Pool } from 'pg';
import { isDatabaseAway, isTransientError } from '../errors.js';
import { findTasksToRemind, remindOfTask } from './remind-of-task.js';

type LogMethod = (detail: object, message: string) => void;

export interface ScanOptions {
  defaults: ScheduleDefaults;
  log: { info: LogMethod; warn: LogMethod; error: LogMethod };
  /** Only the tasks of this project; null for all. */
  projectId: number | null;
  /** Called after each reminder that was stored, so that a worker is woken to deliver it at once. */
  onSent: () => void;
  /** When the scan started. The id of the scan contains this instant. */
  startedAt: number;
  now?: number | null;
  /** Ends the scan after the current task. The next scan continues with the remaining tasks. */
  signal?: AbortSignal;
  /** Waits between two tries (default: by a timer). */
  wait?: (ms: number) => Promise<void>;
}

export interface TaskScanResult {
  workerRunId: string;
  due: number;
  sent: number;
  skipped: number;
  failed: number;
}

/** Delays before the second, third and fourth try. */
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000];
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Sends the reminders that are due, soonest first. A task that fails does not stop the others. If Postgres stays
 * unreachable, the scan stops and throws the error. The next scan sends the remaining reminders.
 */
export async function scanTasks(pool: Pool, options: ScanOptions): Promise<TaskScanResult> {
  const { log, projectId, now = null } = options;
  const workerRunId = newRunId(options.startedAt);
  log.info({ workerRunId }, 'Task scan started');
  const beganAt = performance.now();
  const result = { workerRunId, due: 0, sent: 0, skipped: 0, failed: 0 };
  const durationMs = () => Math.round(performance.now() - beganAt);
  try {
    const find = () => findTasksToRemind(pool, { projectId, now });
    const ids = await withRetries(find, { workerRunId }, options);
    result.due = ids.length;
    for (const id of ids) {
      if (options.signal?.aborted) break;
      result[await scanOne(pool, id, workerRunId, options)]++;
    }
  } catch (error) {
    log.error(
      { err: error, ...result, durationMs: durationMs() },
      'Task scan stopped by an error; the next scan sends the remaining reminders',
    );
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
    // Each try checks `reminder_sent_at` again: a try whose connection broke may have set it, or another scan may have.
    const remind = () => remindOfTask(pool, { id, workerRunId, defaults, now });
    const isSent = await withRetries(remind, { workerRunId, task: id }, options);
    if (isSent) onSent();
    return isSent ? 'sent' : 'skipped';
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    log.error({ err: error, task: id, workerRunId }, 'Task reminder failed');
    return 'failed';
  }
}

/** Repeats the work after 1, 2 and 4 s if the error is transient. */
async function withRetries<T>(
  work: () => Promise<T>,
  logDetail: object,
  { log, signal, wait = sleep }: Pick<ScanOptions, 'log' | 'signal' | 'wait'>,
): Promise<T> {
  for (const retryInMs of RETRY_DELAYS_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isTransientError(error) || signal?.aborted) throw error;
      log.warn({ err: error, ...logDetail, retryInMs }, 'Task scan will try again');
      await wait(retryInMs);
    }
  }
  return work();
}

/** For example `worker-run-2026-11-16-10-00-00-3f9c`: the start, and four random hex digits to avoid a clash. */
function newRunId(at: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replace(/[T:]/g, '-');
  return `worker-run-${time}-${randomBytes(2).toString('hex')}`;
}
