import { type DeliverySettings, readDeliverySettings, type SecretBox } from '@carillon/db';
import type { Pool } from 'pg';
import { Gate, RateLimit } from './gate.js';

/** A change of limits or a new project secret takes effect within this time. */
const SETTINGS_CACHE_TTL_MS = 5_000;

interface Known {
  settings: Promise<DeliverySettings>;
  /** The resolved settings; null until they have been read. */
  current: DeliverySettings | null;
  readAt: number;
  rate: RateLimit | null;
  gate: Gate | null;
}

/** The settings of projects for their deliveries: limits and signing secrets. */
export class ProjectSettings {
  readonly #known = new Map<number, Known>();

  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox | null,
  ) {}

  async secretsOf(projectId: number): Promise<string[]> {
    const { sealedSecrets } = await this.#know(projectId).settings;
    return openSecrets(this.box, projectId, sealedSecrets);
  }

  /**
   * The settings of a project. The result is a promise only while the settings are being read, because every delivery
   * needs them and waiting for a promise takes time.
   */
  of(projectId: number): DeliverySettings | Promise<DeliverySettings> {
    const { current, settings } = this.#know(projectId);
    return current ?? settings;
  }

  /** This worker's share of the project's rate limit and concurrency limit; null for a limit that is not set. */
  async trafficOf(projectId: number): Promise<Pick<Known, 'rate' | 'gate'>> {
    const known = this.#know(projectId);
    const { limits, workers } = await known.settings;
    const { deliveriesPerSecond = null, concurrentDeliveries = null } = limits;
    const perSecond = deliveriesPerSecond === null ? null : deliveriesPerSecond / workers;
    if (known.rate?.perSecond !== (perSecond ?? undefined))
      known.rate = perSecond === null ? null : new RateLimit(perSecond);
    const limit =
      concurrentDeliveries === null ? null : Math.max(1, Math.floor(concurrentDeliveries / workers));
    if (known.gate?.limit !== (limit ?? undefined)) {
      known.gate = limit === null ? null : new Gate(limit);
    }
    return known;
  }

  #know(projectId: number): Known {
    const now = performance.now();
    const known = this.#known.get(projectId);
    if (known && now - known.readAt < SETTINGS_CACHE_TTL_MS) return known;
    const fresh: Known = {
      rate: null,
      gate: null,
      ...known,
      settings: readDeliverySettings(this.pool, projectId),
      current: null,
      readAt: now,
    };
    fresh.settings.then(
      (settings) => {
        fresh.current = settings;
      },
      // A failed read is not cached: the next delivery reads again.
      () => this.#known.get(projectId) === fresh && this.#known.delete(projectId),
    );
    this.#known.set(projectId, fresh);
    return fresh;
  }
}

export function openSecrets(box: SecretBox | null, projectId: number, sealed: readonly Buffer[]): string[] {
  if (sealed.length === 0) return [];
  if (!box) throw new Error('CARILLON_ENCRYPTION_KEY is not set, so the secret can’t be read');
  try {
    return sealed.map((secret) => box.open(secret, projectId));
  } catch (error) {
    throw new Error('the secret was encrypted with another CARILLON_ENCRYPTION_KEY', { cause: error });
  }
}
