import { randomBytes } from 'node:crypto';
import { type KeyOwner, type ProjectView, readProject, setProjectSecret } from '@carillon/db';
import { Project, ProjectKey, ProjectSecret, spellSecret } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers } from '../answers.js';
import type { ApiContext } from '../context.js';
import { isOperator, requireScope } from '../plugins/authenticate.js';
import { presentProject } from '../present/key.js';
import { HttpProblem, notFound } from '../problem.js';

const tags = ['Projects'];
const params = z.object({ id: ProjectKey });

/** What the deliveries of a project are signed with where their schedule has no secret of its own. */
export const projectSecretRoutes =
  ({ pool, secrets }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('admin'));

    const projectOf = async (caller: KeyOwner, key: string): Promise<ProjectView> => {
      const project = await readProject(pool, key);
      if (!project || !(isOperator(caller) || project.id === caller.projectId))
        throw notFound('project', key);
      return project;
    };

    app.post(
      '/projects/:id/secret',
      {
        schema: {
          operationId: 'rotateProjectSecret',
          summary: 'Give a project another secret to sign deliveries with',
          tags,
          params,
          response: answers({ 200: ProjectSecret }, 400, 404, 409),
        },
      },
      async ({ caller, params: { id } }) => {
        const { id: projectId } = await projectOf(caller, id);
        if (!secrets) {
          throw new HttpProblem(
            409,
            'this installation has no CARILLON_ENCRYPTION_KEY to keep a secret with',
          );
        }
        const secret = spellSecret(randomBytes(32));
        await setProjectSecret(pool, {
          projectId,
          sealed: secrets.seal(secret, projectId),
          actor: caller.keyName,
        });
        return { secret };
      },
    );

    app.delete(
      '/projects/:id/secret',
      {
        schema: {
          operationId: 'removeProjectSecret',
          summary: 'Take the secret of a project away: its deliveries go unsigned',
          tags,
          params,
          response: answers({ 200: Project }, 400, 404),
        },
      },
      async ({ caller, params: { id } }) => {
        const project = await projectOf(caller, id);
        await setProjectSecret(pool, { projectId: project.id, sealed: null, actor: caller.keyName });
        return presentProject(project);
      },
    );
  };
