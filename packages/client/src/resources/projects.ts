import type { Pages } from '../pages.js';
import type { Calls } from '../transport/calls.js';
import { segment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { PageQuery } from '../types/instant.js';
import type { Project, ProjectInput, ProjectPatch } from '../types/tenancy.js';

/** Projects, each a world of its own. Admins of the default project make them. */
export class Projects {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  create(project: ProjectInput, options?: CallOptions): Promise<Project> {
    return this.#calls.change({ method: 'POST', path: '/v1/projects', body: project }, options);
  }

  list(query?: PageQuery, options?: CallOptions): Pages<Project> {
    return this.#calls.pages('/v1/projects', { ...query }, options);
  }

  update(id: string, patch: ProjectPatch, options?: CallOptions): Promise<Project> {
    return this.#calls.change({ method: 'PATCH', path: `/v1/projects/${segment(id)}`, body: patch }, options);
  }

  /** Gives the project another secret to sign deliveries with; it is shown this once, the one before is valid for a day. */
  rotateSecret(id: string, options?: CallOptions): Promise<{ secret: string }> {
    return this.#calls.change({ method: 'POST', path: `/v1/projects/${segment(id)}/secret` }, options);
  }

  async removeSecret(id: string, options?: CallOptions): Promise<void> {
    await this.#calls.change({ method: 'DELETE', path: `/v1/projects/${segment(id)}/secret` }, options);
  }
}
