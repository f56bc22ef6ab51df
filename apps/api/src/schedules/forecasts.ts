import {
  countFires,
  type FiresByMinute,
  type Forecast,
  type ForecastGroup,
  readNextFires,
  readStoredForecast,
  readStoredGroups,
  type StoredGroups,
} from '@carillon/db';
import { HOUR_MS } from '@carillon/shared';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { BackgroundCache } from '../http/background-cache.js';

/** Workers store the forecast of the next 24 hours. */
const STORED_HOURS = 24;
/**
 * Number of projects whose stored groups (schedules with the same rule and next occurrence) are cached. The groups of
 * one project take up to some 10 MB.
 */
const MAX_STORED_GROUPS = 3;

interface Range {
  projectId: number;
  fromAt: number;
  hours: number;
}

interface Fires {
  /** When the fires were counted. */
  computedAt: number;
  fires: FiresByMinute;
  isComplete: boolean;
}

/**
 * Forecasts of the fires of projects. Workers store the forecast of a large project every minute, because counting the
 * fires of 200,000 schedules takes a second. Any other forecast is computed here, in the background, and cached for up
 * to a minute: the forecast of a small project, of a week, or of a project for which no worker has stored one lately. A
 * request does not wait for a slow forecast. Until there is one, it gets only the next fire of each schedule, which an
 * index-only scan counts, and the answer is marked as incomplete.
 */
export class Forecasts {
  readonly #kept: BackgroundCache<Forecast & Fires>;
  /**
   * Queries of next fires that are under way. The computation of a forecast needs the next fires too, so it shares the
   * query with the requests that do not wait for the forecast.
   */
  readonly #nextFires = new Map<string, Promise<FiresByMinute>>();
  /** A cache of stored groups by project. An entry is valid until a worker stores the forecast of the project again. */
  readonly #storedGroups = new LRUCache<number, StoredGroups>({ max: MAX_STORED_GROUPS });

  constructor(
    private readonly pool: Pool,
    onError: (error: unknown, name: string) => void,
  ) {
    this.#kept = new BackgroundCache(onError);
  }

  /** Returns the number of fires by minute from `fromAt` on, for a day, or for a week if `hours` is more than 24. */
  async read(range: Range): Promise<Fires> {
    const forecast = (await this.#readStored(range)) ?? (await this.#within(range));
    if (forecast) return forecast;
    const fires = await this.#readNextFires(range);
    // A forecast that is quick to compute may be complete by now.
    return this.#kept.peek(nameOf(range)) ?? { computedAt: range.fromAt, fires, isComplete: false };
  }

  /**
   * Returns the fires by minute of the stored or cached forecast, or of a new one if it is computed soon enough;
   * otherwise an empty map. Meant for responses that are useful without the forecast too.
   */
  async readAtOnce(range: Range): Promise<ReadonlyMap<number, number>> {
    const forecast = (await this.#readStored(range)) ?? (await this.#within(range));
    return forecast?.fires ?? new Map();
  }

  /**
   * Returns the groups of recurring schedules with the same rule and next occurrence. Until they have been read for the
   * first time, the list is empty and marked as incomplete.
   */
  async readGroups(range: Range): Promise<{ groups: readonly ForecastGroup[]; isComplete: boolean }> {
    return (
      (await this.#readStoredGroups(range)) ??
      (await this.#within(range)) ?? { groups: [], isComplete: false }
    );
  }

  async #readStored(range: Range): Promise<Fires | null> {
    return isStored(range) ? readStoredForecast(this.pool, { projectId: range.projectId, now: null }) : null;
  }

  async #readStoredGroups(range: Range): Promise<StoredGroups | null> {
    if (!isStored(range)) return null;
    const { projectId } = range;
    const known = this.#storedGroups.get(projectId) ?? null;
    const stored = await readStoredGroups(this.pool, { projectId, known, now: null });
    if (stored) this.#storedGroups.set(projectId, stored);
    else this.#storedGroups.delete(projectId);
    return stored;
  }

  /**
   * Returns the cached forecast while it is fresh, or else a new one if it is computed soon enough. Otherwise returns
   * the stale forecast; null if there is none or if it is too old.
   */
  #within(range: Range): Promise<(Forecast & Fires) | null> {
    return this.#kept.read(nameOf(range), async () => {
      const { projectId, fromAt } = range;
      const nextFires = this.#readNextFires(range);
      const forecast = await countFires(this.pool, { projectId, fromAt, toAt: endOf(range) }, nextFires);
      return { ...forecast, computedAt: fromAt };
    });
  }

  #readNextFires(range: Range): Promise<FiresByMinute> {
    const name = nameOf(range);
    const reading =
      this.#nextFires.get(name) ??
      readNextFires(this.pool, { projectId: range.projectId, toAt: endOf(range) }).finally(() =>
        this.#nextFires.delete(name),
      );
    this.#nextFires.set(name, reading);
    return reading;
  }
}

const isStored = ({ hours }: Range) => hours <= STORED_HOURS;
/**
 * Forecasts are computed for a day or for a week. A request for any other number of hours gets the first part of one of
 * them.
 */
const horizonOf = (hours: number) => (hours <= STORED_HOURS ? STORED_HOURS : 168);
const endOf = ({ fromAt, hours }: Range) => fromAt + horizonOf(hours) * HOUR_MS;
const nameOf = ({ projectId, hours }: Range) => `${projectId} ${horizonOf(hours)}`;
