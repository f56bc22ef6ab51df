import { scanTasks } from '@carillon/db';
import type { Config } from '../config.js';
import type { WorkerContext } from '../context.js';

/** The hourly look for tasks that are due soon. */
export async function scan(
  { pool, clock, bells, metrics, log }: WorkerContext,
  config: Config,
  signal: AbortSignal,
): Promise<void> {
  await scanTasks(pool, {
    projectId: null,
    startedAt: clock.now(),
    log,
    signal,
    defaults: {
      target: { type: 'handler', name: 'log' },
      maxAttempts: config.RETRY_MAX_ATTEMPTS,
      baseDelayMs: config.RETRY_BASE_DELAY_SECONDS * 1_000,
      allowPrivateTargets: config.ALLOW_PRIVATE_TARGETS,
    },
    onSent: () => {
      metrics.count('jobs_queued_total');
      bells.ringNow().catch(() => {}); // The sweep arms what is missing.
    },
  }).catch(() => {}); // It has said so itself; the next hour goes on.
}
