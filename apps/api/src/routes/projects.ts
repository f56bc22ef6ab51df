import { createProject, editProject, listProjects } from '@carillon/db';
import { Cursor, Limit, listOf, Project, ProjectInput, ProjectKey, ProjectPatch } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, pageOf } from '../cursor.js';
import { isOperator, requireOperator, requireScope } from '../plugins/authenticate.js';
import { presentProject } from '../present/key.js';
import { HttpProblem, notFound } from '../problem.js';

const tags = ['Projects'];

/** Projects, each a world of its own. Admins of the default project make them; other admins see theirs. */
export const projectRoutes =
  ({ pool }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('admin'));

    app.post(
      '/projects',
      {
        schema: {
          operationId: 'createProject',
          summary: 'Make a project',
          tags,
          body: ProjectInput,
          response: answers({ 201: Project }, ...BODY, 409),
        },
        onRequest: requireOperator,
      },
      async ({ caller, body }, reply) => {
        const draft = {
          key: body.id,
          name: body.name ?? body.id,
          defaultTarget: body.defaultTarget ?? null,
          limits: body.limits ?? {},
        };
        const project = await createProject(pool, { draft, actor: caller.keyName });
        if (!project) throw new HttpProblem(409, `a project with the id ${body.id} exists already`);
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
          response: answers({ 200: listOf(Project) }, 400),
        },
      },
      async ({ caller, query: { limit, cursor } }) => {
        const afterKey = cursor === undefined ? null : decodeCursor(cursor);
        const onlyId = isOperator(caller) ? null : caller.projectId;
        const found = await listProjects(pool, { onlyId, limit: limit + 1, afterKey });
        const { items, nextCursor } = pageOf(found, limit, ({ key }) => key);
        return { items: items.map(presentProject), nextCursor };
      },
    );

    app.patch(
      '/projects/:id',
      {
        schema: {
          operationId: 'editProject',
          summary: 'Change the name, default target or limits of a project',
          tags,
          params: z.object({ id: ProjectKey }),
          body: ProjectPatch,
          response: answers({ 200: Project }, ...BODY, 404),
        },
        onRequest: requireOperator,
      },
      async ({ caller, params, body }) => {
        const project = await editProject(pool, { key: params.id, patch: body, actor: caller.keyName });
        if (!project) throw notFound('project', params.id);
        return presentProject(project);
      },
    );
  };
