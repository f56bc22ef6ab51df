import type { ProjectLimits } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Created, createSchedules, type Draft } from './create-schedules.js';

interface Waiting {
  owner: Owner;
  draft: Draft;
  resolve: (created: Created) => void;
  reject: (error: unknown) => void;
}

interface Owner {
  projectId: number;
  actor: string;
  limits: ProjectLimits;
}

interface Group {
  writing: number;
  waiting: Waiting[];
}

/** Statements under way for one owner; what comes meanwhile waits for the next and shares it. */
const AT_A_TIME = 2;
const MOST_IN_ONE = 200;

/**
 * Creates schedules one by one while there are few, and together while there are many: one statement and one commit for
 * all that came while the one before was written.
 */
export class Creations {
  readonly #groups = new Map<string, Group>();

  constructor(private readonly pool: Pool) {}

  create(owner: Owner, draft: Draft): Promise<Created> {
    const name = `${owner.projectId} ${owner.actor}`;
    const group = this.#groups.get(name) ?? { writing: 0, waiting: [] };
    this.#groups.set(name, group);
    return new Promise((resolve, reject) => {
      group.waiting.push({ owner, draft, resolve, reject });
      if (group.writing < AT_A_TIME) this.#write(name, group);
    });
  }

  async #write(name: string, group: Group): Promise<void> {
    group.writing++;
    // Requests that were read in the same turn of the event loop go together.
    await new Promise(setImmediate);
    while (group.waiting.length > 0) await this.#writeBatch(group.waiting.splice(0, MOST_IN_ONE));
    group.writing--;
    if (group.writing === 0) this.#groups.delete(name);
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#createAll(batch);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      // One that Postgres won't have must not sink the others.
      else for (const one of batch) await this.#createAll([one]).catch(one.reject);
    }
  }

  async #createAll(batch: readonly Waiting[]): Promise<void> {
    // By the limits that whoever came last has read: they may change while there is always somebody waiting.
    const [latest] = batch.slice(-1) as [Waiting];
    const drafts = batch.map(({ draft }) => draft);
    const created = await createSchedules(this.pool, { ...latest.owner, drafts });
    batch.forEach(({ resolve }, i) => {
      resolve(created[i] as Created);
    });
  }
}
