import { type DueForecast, readForecastsDue, storeForecast } from '@carillon/db';
import type { WorkerContext } from '../context.js';

/**
 * Each tick (once a minute) begins no more forecasts after this time. The last forecast may take longer: counting it
 * takes at most 5 s of CPU time. The next tick continues with the oldest forecast.
 */
const MAX_TICK_MS = 3_000;

/**
 * Stores forecasts of how often the schedules of large projects will fire, so that an API process that has just started
 * can answer at once. A project whose forecast another worker has stored in the last minute is left out.
 */
export class ForecastKeeper {
  /** When the forecast of a project failed last, by Postgres's clock. */
  readonly #failedAt = new Map<number, number>();

  constructor(private readonly context: Pick<WorkerContext, 'pool' | 'clock' | 'postgres'>) {}

  /** Called every minute. */
  async store(signal: AbortSignal): Promise<void> {
    const { pool, clock, postgres } = this.context;
    const beganAt = performance.now();
    for (const projectId of await this.#readDue()) {
      if (signal.aborted || performance.now() - beganAt > MAX_TICK_MS) return;
      try {
        await storeForecast(pool, { projectId, nowAt: Math.floor(clock.now()) });
        this.#failedAt.delete(projectId);
      } catch (error) {
        this.#failedAt.set(projectId, clock.now());
        const message = 'The forecast of a project could not be stored; it is tried again in a minute';
        postgres.report(error, message, { projectId });
      }
    }
  }

  /**
   * The projects whose forecast is missing or old, the oldest first. A try that failed counts like a forecast.
   * Otherwise a project whose statement always exceeds its time-out would come first in every tick, and use up the time
   * of the tick.
   */
  async #readDue(): Promise<number[]> {
    const due = await readForecastsDue(this.context.pool, null);
    const triedAt = ({ projectId, computedAt }: DueForecast) =>
      Math.max(computedAt ?? 0, this.#failedAt.get(projectId) ?? 0);
    return due.toSorted((a, b) => triedAt(a) - triedAt(b)).map(({ projectId }) => projectId);
  }
}
