import {
  type CreateResult,
  type Database,
  type Draft,
  fillTemplate,
  findTemplate,
  OverLimit,
  readCalendars,
  SecretBox,
} from '@carillon/db';
import { calendarsNamedBy, type ProjectLimits, type ScheduleDefaults, type Target } from '@carillon/shared';
import { type Config, scheduleDefaults } from '../config.js';
import type { Registry } from '../registry.js';
import { type ReadResult, readRequest } from './read-request.js';

/** A project as it is stored. */
interface StoredProject {
  id: number;
  key: string;
  defaultTarget: Target | null;
  limits: ProjectLimits;
}

/** A project with the defaults and limits that apply to its requests. */
export interface Drafter {
  projectId: number;
  limits: ProjectLimits;
  defaults: ScheduleDefaults;
}

/** Turns requests that reach a worker, by queue or by SQL, into drafts of schedules that are ready to be stored. */
export class Drafts {
  readonly #box: SecretBox | null;

  constructor(
    private readonly config: Config,
    private readonly registry: Registry,
  ) {
    const key = config.CARILLON_ENCRYPTION_KEY;
    this.#box = key === undefined ? null : new SecretBox(key);
  }

  /** Reads the defaults and limits of a project from its row. */
  drafterOf({ id, key, defaultTarget, limits }: StoredProject): Drafter {
    const box = this.#box;
    return {
      projectId: id,
      limits,
      defaults: {
        ...scheduleDefaults(this.config),
        target: defaultTarget,
        owner: { project: key, limits },
        payloadProblem: this.registry.payloadProblem,
        sealHeader: box && ((value) => box.sealText(value, id)),
      },
    };
  }

  /** Drafts a schedule whose first occurrence comes after `nowAt`, or says why the request is refused. */
  async draft(
    db: Database,
    { projectId, defaults }: Drafter,
    { data, nowAt }: { data: unknown; nowAt: number },
  ): Promise<ReadResult<Draft>> {
    const filled = await fillTemplate(data, (id) => findTemplate(db, projectId, id));
    if (!filled.ok) return { ok: false, reason: `${filled.problem.field}: ${filled.problem.message}` };
    const box = this.#box;
    const seal = box && ((secret: string) => box.seal(secret, projectId));
    const calendars = await readCalendars(db, projectId, calendarsNamedBy([data]));
    return readRequest(filled.value, { nowAt, defaults, seal, calendars });
  }
}

/** Says why a draft was not stored. Null if it was stored, by this request or by an identical earlier one. */
export function refusalOf(created: CreateResult, { key }: Draft, limits: ProjectLimits): string | null {
  if (created.kind === 'over_limit') return new OverLimit(limits).message;
  if (created.kind === 'conflict')
    return `a schedule with the id ${key} and another definition exists already`;
  if (created.kind === 'cancelled')
    return `the schedule ${key} was cancelled; put it back with PUT /v1/schedules/${key}, or free the id with DELETE /v1/schedules/${key}?purge=true`;
  return null;
}
