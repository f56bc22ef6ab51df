import { createProject, editProject, listProjects, readProject } from '@carillon/db';
import {
  Cursor,
  draftPlan,
  Limit,
  listOf,
  Project,
  ProjectInput,
  ProjectKey,
  type ProjectLimits,
  ProjectPatch,
  type Target,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isOperator, requireOperator, requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, pageOf } from '../http/cursor.js';
import { HttpProblem, invalid, notFound } from '../http/problem.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentProject } from '../present/key.js';
import { sealNewSecret } from '../schedules/seal-secret.js';
import { withStoredHeaders } from '../schedules/validate-recipient.js';

const tags = ['Projects'];

/** Projects (tenants). Operators create and edit them; other admins see their own project. */
export const projectRoutes =
  ({ pool, secrets, defaults }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('admin'));

    /** Validates a default target against the limits of the project, and returns it with encrypted headers. */
    const validateTarget = (
      { id, key }: { id: number; key: string },
      { defaultTarget, limits }: { defaultTarget: Target | null; limits: ProjectLimits },
    ): Target | null => {
      if (defaultTarget === null) return null;
      const owner = { project: key, limits };
      const sealHeader = secrets && ((value: string) => secrets.sealText(value, id));
      const drafted = draftPlan({ target: defaultTarget }, { ...defaults, owner, sealHeader });
      if (drafted.ok) return drafted.plan.target;
      throw invalid(
        drafted.problems.map(({ field, message }) => ({
          field: field.replace(/^target/, 'defaultTarget'),
          message,
        })),
      );
    };

    app.post(
      '/projects',
      {
        schema: {
          operationId: 'createProject',
          summary: 'Create a project',
          tags,
          body: ProjectInput,
          response: responses({ 201: Project }, ...BODY_ERRORS, 409),
        },
        onRequest: requireOperator,
      },
      async ({ caller, body }, reply) => {
        const draft = {
          key: body.id,
          name: body.name ?? body.id,
          defaultTarget: body.defaultTarget ?? null,
          limits: body.limits ?? {},
          retention: body.retention ?? {},
        };
        const project = await createProject(pool, {
          draft,
          actor: caller.keyName,
          sealTarget: (projectId) => validateTarget({ key: body.id, id: projectId }, draft),
          seal: secrets && sealNewSecret(secrets),
        });
        if (!project)
          throw new HttpProblem('already_exists', `a project with the id ${body.id} exists already`);
        return reply.status(201).send(presentProject(project));
      },
    );

    app.get(
      '/projects',
      {
        schema: {
          operationId: 'listProjects',
          summary: 'List projects',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(Project) }, 400),
        },
      },
      async ({ caller, query: { limit, cursor } }) => {
        const afterKey = cursor === undefined ? null : decodeCursor(cursor);
        const onlyId = isOperator(caller) ? null : caller.projectId;
        const projects = await listProjects(pool, { onlyId, limit: limit + 1, afterKey });
        const { items, nextCursor } = pageOf(projects, limit, ({ key }) => key);
        return { items: items.map(presentProject), nextCursor };
      },
    );

    app.patch(
      '/projects/:id',
      {
        schema: {
          operationId: 'editProject',
          summary: 'Edit the name, default target, limits or retention of a project',
          tags,
          params: z.object({ id: ProjectKey }),
          body: ProjectPatch,
          response: responses({ 200: Project }, ...BODY_ERRORS, 404),
        },
        onRequest: requireOperator,
      },
      async ({ caller, params, body }) => {
        const before = await readProject(pool, params.id);
        if (!before) throw notFound('project', params.id);
        const given = body.defaultTarget && withStoredHeaders(body.defaultTarget, before.defaultTarget);
        // The new limits must allow the default target, even if the request does not change the target.
        const held = body.defaultTarget === null ? null : (given ?? before.defaultTarget);
        const defaultTarget = validateTarget(before, {
          defaultTarget: held,
          limits: body.limits ?? before.limits,
        });
        const patch = { ...body, ...(given ? { defaultTarget } : {}) };
        const project = await editProject(pool, { key: params.id, patch, actor: caller.keyName });
        if (!project) throw notFound('project', params.id);
        return presentProject(project);
      },
    );
  };
