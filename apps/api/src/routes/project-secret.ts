import { randomBytes } from 'node:crypto';
import {
  type KeyOwner,
  readProject,
  readProjectSecrets,
  type SecretBox,
  setProjectSecret,
} from '@carillon/db';
import { ProjectKey, ProjectSecret, spellSecret } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isOperator, requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { HttpProblem, notFound } from '../http/problem.js';
import { responses } from '../http/responses.js';

const tags = ['Projects'];
const params = z.object({ id: ProjectKey });

/** The secret with which the webhooks of a project are signed, unless their schedule has a secret of its own. */
export const projectSecretRoutes =
  ({ pool, secrets }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('admin'));

    /** Finds the project, and checks that the caller may see its secret and that this installation can store one. */
    const openProject = async (
      caller: KeyOwner,
      key: string,
    ): Promise<{ projectId: number; box: SecretBox }> => {
      const project = await readProject(pool, key);
      if (!project || !(isOperator(caller) || project.id === caller.projectId))
        throw notFound('project', key);
      if (!secrets)
        throw new HttpProblem(
          'encryption_key_missing',
          'this installation has no CARILLON_ENCRYPTION_KEY, so it stores no secrets',
        );
      return { projectId: project.id, box: secrets };
    };

    app.post(
      '/projects/:id/secret',
      {
        schema: {
          operationId: 'rotateProjectSecret',
          summary: 'Rotate the signing secret of a project',
          description: 'For one day, deliveries are signed with both the new and the previous secret.',
          tags,
          params,
          response: responses({ 200: ProjectSecret }, 400, 404, 409),
        },
      },
      async ({ caller, params: { id } }) => {
        const { projectId, box } = await openProject(caller, id);
        const secret = spellSecret(randomBytes(32));
        await setProjectSecret(pool, {
          projectId,
          sealed: box.seal(secret, projectId),
          actor: caller.keyName,
        });
        return { secret };
      },
    );

    app.get(
      '/projects/:id/secret',
      {
        schema: {
          operationId: 'readProjectSecret',
          summary: 'Read the signing secret of a project',
          description:
            'Every project has one from the start. A schedule may have a secret of its own, which is never shown.',
          tags,
          params,
          response: responses({ 200: ProjectSecret }, 400, 404, 409),
        },
      },
      async ({ caller, params: { id } }) => {
        const { projectId, box } = await openProject(caller, id);
        const [sealed] = await readProjectSecrets(pool, projectId);
        if (!sealed)
          throw new HttpProblem('invalid_state', `project ${id} has no secret yet; POST makes one`);
        return { secret: box.open(sealed, projectId) };
      },
    );
  };
