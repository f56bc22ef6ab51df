import { type ForecastGroup, readForecastGroups, readNextFires } from '@carillon/db';
import type { Pool } from 'pg';
import { BackgroundCache } from '../http/background-cache.js';
import { addLaterFires, type Fires } from './forecast-fires.js';

const HOUR_MS = 3_600_000;

interface Forecast extends Fires {
  groups: readonly ForecastGroup[];
}

interface Range {
  projectId: number;
  fromAt: number;
  hours: number;
}

/**
 * Forecasts of projects. Counting the fires of 200,000 schedules takes seconds, so a large forecast is computed in the
 * background and kept for up to a minute. A request does not wait for a slow forecast: it gets only the next fire of
 * every schedule, which one index answers, marked as incomplete.
 */
export class Forecasts {
  readonly #kept: BackgroundCache<Forecast>;
  /** Reads of next fires that are under way. A forecast and the requests that do not wait for it share them. */
  readonly #nextFires = new Map<string, Promise<Map<number, number>>>();

  constructor(
    private readonly pool: Pool,
    onError: (error: unknown) => void,
  ) {
    this.#kept = new BackgroundCache(onError);
  }

  /** Number of fires by minute, from the minute of `fromAt` to the end of its day or week. */
  async read(range: Range): Promise<Fires> {
    const forecast = await this.#within(range);
    if (forecast) return { fires: forecast.fires, isComplete: forecast.isComplete };
    const fires = await this.#readNextFires(range);
    // A small forecast may have been computed meanwhile, even on a busy machine.
    return this.#kept.peek(nameOf(range)) ?? { fires, isComplete: false };
  }

  /**
   * The groups of recurring schedules. While they are being read for the first time, the list is empty and the result
   * is not complete.
   */
  async readGroups(range: Range): Promise<{ groups: readonly ForecastGroup[]; isComplete: boolean }> {
    return (await this.#within(range)) ?? { groups: [], isComplete: false };
  }

  /** Returns the kept forecast, or a new one if it is computed soon. Null if there is neither. */
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

/** Forecasts are computed for a day or a week. A forecast of another length is a part of one of them. */
const horizonOf = (hours: number) => (hours <= 24 ? 24 : 168);
const endOf = ({ fromAt, hours }: Range) => fromAt + horizonOf(hours) * HOUR_MS;
const nameOf = ({ projectId, hours }: Range) => `${projectId} ${horizonOf(hours)}`;
