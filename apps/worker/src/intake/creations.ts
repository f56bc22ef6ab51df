import { type Created, createSchedules, type Draft } from '@carillon/db';
import type { Pool } from 'pg';

interface Waiting {
  draft: Draft;
  resolve: (created: Created) => void;
  reject: (error: unknown) => void;
}

/** Creates schedules together that are asked for together. */
export class Creations {
  readonly #waiting = new Map<number, Waiting[]>();

  constructor(
    private readonly pool: Pool,
    private readonly actor: string,
  ) {}

  create(projectId: number, draft: Draft): Promise<Created> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(projectId) ?? [];
      if (waiting.length === 0) setImmediate(() => this.#flush(projectId));
      waiting.push({ draft, resolve, reject });
      this.#waiting.set(projectId, waiting);
    });
  }

  async #flush(projectId: number): Promise<void> {
    const batch = this.#waiting.get(projectId) ?? [];
    this.#waiting.delete(projectId);
    try {
      await this.#write(projectId, batch);
    } catch {
      // One that Postgres won't have must not sink the others.
      for (const one of batch) await this.#write(projectId, [one]).catch(one.reject);
    }
  }

  async #write(projectId: number, batch: readonly Waiting[]): Promise<void> {
    const drafts = batch.map(({ draft }) => draft);
    const created = await createSchedules(this.pool, { projectId, actor: this.actor, drafts });
    for (const [index, { resolve }] of batch.entries()) resolve(created[index] as Created);
  }
}
