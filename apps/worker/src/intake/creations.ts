import { type Created, createSchedules, type Draft } from '@carillon/db';
import type { ProjectLimits } from '@carillon/shared';
import type { Pool } from 'pg';

interface Waiting {
  draft: Draft;
  resolve: (created: Created) => void;
  reject: (error: unknown) => void;
}

interface Project {
  projectId: number;
  limits: ProjectLimits;
}

/** Creates schedules together that are asked for together. */
export class Creations {
  readonly #waiting = new Map<number, Waiting[]>();

  constructor(
    private readonly pool: Pool,
    private readonly actor: string,
  ) {}

  create(project: Project, draft: Draft): Promise<Created> {
    const { projectId } = project;
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(projectId) ?? [];
      if (waiting.length === 0) setImmediate(() => this.#flush(project));
      waiting.push({ draft, resolve, reject });
      this.#waiting.set(projectId, waiting);
    });
  }

  async #flush(project: Project): Promise<void> {
    const batch = this.#waiting.get(project.projectId) ?? [];
    this.#waiting.delete(project.projectId);
    try {
      await this.#write(project, batch);
    } catch {
      // One that Postgres won't have must not sink the others.
      for (const one of batch) await this.#write(project, [one]).catch(one.reject);
    }
  }

  async #write(project: Project, batch: readonly Waiting[]): Promise<void> {
    const drafts = batch.map(({ draft }) => draft);
    const created = await createSchedules(this.pool, { ...project, actor: this.actor, drafts });
    for (const [index, { resolve }] of batch.entries()) resolve(created[index] as Created);
  }
}
