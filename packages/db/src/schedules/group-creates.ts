import type { ProjectLimits } from '@carillon/shared';
import type { Pool } from 'pg';
import { isDatabaseAway } from '../errors.js';
import { type CreateResult, createSchedules, type Draft } from './create-schedules.js';

interface Requester {
  projectId: number;
  actor: string;
  limits: ProjectLimits;
}

interface Waiting {
  requester: Requester;
  draft: Draft;
  resolve: (created: CreateResult) => void;
  reject: (error: unknown) => void;
}

interface Group {
  statements: number;
  waiting: Waiting[];
}

/**
 * Maximum number of concurrent statements per requester. Creates that arrive while these statements run share the next
 * one.
 */
const STATEMENTS_AT_ONCE = 2;
const MAX_GROUP_SIZE = 200;

/**
 * Group commit for requests that create a single schedule. While such requests are rare, each has a statement of its
 * own. While they are frequent, all that arrive during one statement share the next statement and its commit.
 */
export class GroupCreates {
  readonly #groups = new Map<string, Group>();

  constructor(private readonly pool: Pool) {}

  create(requester: Requester, draft: Draft): Promise<CreateResult> {
    const name = `${requester.projectId} ${requester.actor}`;
    const group = this.#groups.get(name) ?? { statements: 0, waiting: [] };
    this.#groups.set(name, group);
    return new Promise((resolve, reject) => {
      group.waiting.push({ requester, draft, resolve, reject });
      if (group.statements < STATEMENTS_AT_ONCE) this.#write(name, group);
    });
  }

  async #write(name: string, group: Group): Promise<void> {
    group.statements++;
    // Requests that were read in the same turn of the event loop share a statement.
    await new Promise(setImmediate);
    while (group.waiting.length > 0) await this.#writeGroup(group.waiting.splice(0, MAX_GROUP_SIZE));
    group.statements--;
    if (group.statements === 0) this.#groups.delete(name);
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#createAll(group);
    } catch (error) {
      // One row that Postgres refuses must not fail the others. If Postgres is unreachable, all of them fail at once.
      if (group.length === 1 || isDatabaseAway(error)) for (const { reject } of group) reject(error);
      else for (const one of group) await this.#createAll([one]).catch(one.reject);
    }
  }

  async #createAll(group: readonly Waiting[]): Promise<void> {
    // The limits that were read last apply, because they may change while creates keep arriving.
    const { requester } = group.at(-1) as Waiting;
    const created = await createSchedules(this.pool, {
      ...requester,
      drafts: group.map(({ draft }) => draft),
    });
    group.forEach(({ resolve }, i) => {
      resolve(created[i] as CreateResult);
    });
  }
}
