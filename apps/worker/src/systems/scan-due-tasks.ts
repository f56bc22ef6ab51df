import { scanTasks } from '@carillon/db';
import { type Config, scheduleDefaults } from '../config.js';
import type { WorkerContext } from '../context.js';

/** Sends the reminders of tasks that are due soon. Runs at the tick `TASK_SCAN_CRON`, hourly by default. */
export async function scanDueTasks(
  { pool, clock, bells, metrics, log }: WorkerContext,
  config: Config,
  signal: AbortSignal,
): Promise<void> {
  await scanTasks(pool, {
    projectId: null,
    startedAt: clock.now(),
    log,
    signal,
    defaults: scheduleDefaults(config),
    onSent: () => {
      metrics.count('jobs_queued_total');
      bells.ringNow().catch(() => {}); // If Redis is away, the sweep claims the reminders later.
    },
  }).catch(() => {}); // The scan has logged its error. The next scan starts over.
}
