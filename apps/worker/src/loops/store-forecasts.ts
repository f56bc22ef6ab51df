import { readForecastsDue, storeForecast } from '@carillon/db';
import type { WorkerContext } from '../context.js';

/**
 * Maximum time that one tick spends on forecasts, so that they take at most 5% of a core. The next tick continues with
 * the oldest forecast.
 */
const MAX_TICK_MS = 3_000;

/**
 * Every minute: stores the forecasts of large projects, so that an API process that has just started can answer at
 * once. A project whose forecast another worker has stored in the last minute is left out.
 */
export async function storeForecasts(
  { pool, clock }: Pick<WorkerContext, 'pool' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const beganAt = performance.now();
  for (const projectId of await readForecastsDue(pool, null)) {
    if (signal.aborted || performance.now() - beganAt > MAX_TICK_MS) return;
    await storeForecast(pool, { projectId, nowAt: Math.floor(clock.now()) });
  }
}
