import { type DeliverySettings, readDeliverySettings, type SecretBox } from '@carillon/db';
import type { Pool } from 'pg';
import { Gate } from './gate.js';
import { RateLimit } from './rate-limit.js';

/** What was read is believed for this long: a change of limits or a new project secret holds within it. */
const BELIEVED_MS = 5_000;

interface Known {
  settings: Promise<DeliverySettings>;
  readAt: number;
  rate: RateLimit | null;
  gate: Gate | null;
}

/** What a project has set for its deliveries: limits, and secrets to sign with. */
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

  /** This worker's share of what the project may do; null where it may do as it likes. */
  async trafficOf(projectId: number): Promise<Pick<Known, 'rate' | 'gate'>> {
    const known = this.#know(projectId);
    const { deliveriesPerSecond, concurrentDeliveries, workers } = await known.settings;
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
    if (known && now - known.readAt < BELIEVED_MS) return known;
    const fresh = {
      rate: null,
      gate: null,
      ...known,
      settings: readDeliverySettings(this.pool, projectId),
      readAt: now,
    };
    // What could not be read is asked for again by the next one.
    fresh.settings.catch(() => this.#known.get(projectId) === fresh && this.#known.delete(projectId));
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
    throw new Error('the secret was sealed with another CARILLON_ENCRYPTION_KEY', { cause: error });
  }
}
