import { type ForecastGroup, readForecastGroups, readNextFires } from '@carillon/db';
import type { Pool } from 'pg';
import { BackgroundCache } from '../http/background-cache.js';
import { addLaterFires, type FiresByMinute } from './forecast-fires.js';

const HOUR_MS = 3_600_000;

interface Forecast extends FiresByMinute {
  groups: readonly ForecastGroup[];
}

interface Range {
  projectId: number;
  fromAt: number;
  hours: number;
}

/**
 * Forecasts of projects. Counting the fires of 200,000 schedules takes seconds, so a large forecast is computed in the
 * background and cached for up to a minute. A request does not wait for a slow forecast. It then gets only the next
 * fire of each schedule, which one index lookup finds, and the answer is marked as incomplete.
 */
export class Forecasts {
  readonly #kept: BackgroundCache<Forecast>;
  /**
   * Queries of next fires that are under way. Requests that do not wait for a forecast share the query with the
   * forecast.
   */
  readonly #nextFires = new Map<string, Promise<Map<number, number>>>();

  constructor(
    private readonly pool: Pool,
    onError: (error: unknown) => void,
  ) {
    this.#kept = new BackgroundCache(onError);
  }

  /** Number of fires by minute, from the minute of `fromAt` to the end of its day or week. */
  async read(range: Range): Promise<FiresByMinute> {
    const forecast = await this.#within(range);
    if (forecast) return { fires: forecast.fires, isComplete: forecast.isComplete };
    const fires = await this.#readNextFires(range);
    // The whole forecast may have been computed meanwhile, if it is small.
    return this.#kept.peek(nameOf(range)) ?? { fires, isComplete: false };
  }

  /**
   * The fires of the cached forecast, or of a new one if it is computed soon enough; otherwise none. For answers to
   * which the forecast only adds a hint.
   */
  async readAtOnce(range: Range): Promise<ReadonlyMap<number, number>> {
    return (await this.#within(range))?.fires ?? new Map();
  }

  /**
   * The groups of recurring schedules. Until they have been read for the first time, the list is empty and marked as
   * incomplete.
   */
  async readGroups(range: Range): Promise<{ groups: readonly ForecastGroup[]; isComplete: boolean }> {
    return (await this.#within(range)) ?? { groups: [], isComplete: false };
  }

  /** Returns the cached forecast, or a new one if it is computed soon enough; otherwise null. */
  #within(range: Range): Promise<Forecast | null> {
    return this.#kept.read(nameOf(range), () => this.#count(range));
  }

  #readNextFires(range: Range): Promise<Map<number, number>> {
    const name = nameOf(range);
    const reading =
      this.#nextFires.get(name) ??
      readNextFires(this.pool, { projectId: range.projectId, toAt: endOf(range) })
        .then((minutes) => new Map(minutes.map(({ at, fires }) => [at, fires])))
        .finally(() => this.#nextFires.delete(name));
    this.#nextFires.set(name, reading);
    return reading;
  }

  async #count(range: Range): Promise<Forecast> {
    const { projectId, fromAt } = range;
    const toAt = endOf(range);
    const fires = new Map(await this.#readNextFires(range));
    const { groups, isComplete } = await readForecastGroups(this.pool, { projectId, toAt });
    const isCounted = await addLaterFires(fires, groups, { fromAt, toAt });
    return { groups, fires, isComplete: isComplete && isCounted };
  }
}

/** Forecasts are computed for a day or for a week. A request for another length gets a part of one of these. */
const horizonOf = (hours: number) => (hours <= 24 ? 24 : 168);
const endOf = ({ fromAt, hours }: Range) => fromAt + horizonOf(hours) * HOUR_MS;
const nameOf = ({ projectId, hours }: Range) => `${projectId} ${horizonOf(hours)}`;
