import type { Pages } from '../pages.js';
import type { Calls } from '../transport/calls.js';
import { pathSegment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { PageQuery } from '../types/instant.js';
import type { Project, ProjectInput, ProjectPatch } from '../types/tenancy.js';

/** Projects (tenants). Only admins of the default project create and edit them. */
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
    return this.#calls.change(
      { method: 'PATCH', path: `/v1/projects/${pathSegment(id)}`, body: patch },
      options,
    );
  }

  /** Reads the signing secret of a project. */
  secret(id: string, options?: CallOptions): Promise<{ secret: string }> {
    return this.#calls.read(`/v1/projects/${pathSegment(id)}/secret`, undefined, options);
  }

  /** Rotates the signing secret of a project. For one day, deliveries are signed with the old and the new secret. */
  rotateSecret(id: string, options?: CallOptions): Promise<{ secret: string }> {
    return this.#calls.change({ method: 'POST', path: `/v1/projects/${pathSegment(id)}/secret` }, options);
  }
}
