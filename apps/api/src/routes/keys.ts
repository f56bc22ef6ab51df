import { createKey, listKeys, revokeKey } from '@carillon/db';
import { Cursor, Key, KeyInput, Limit, listOf, NewKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isOperator, requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../http/cursor.js';
import { HttpProblem, invalid, notFound } from '../http/problem.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { presentKey } from '../present/key.js';

const tags = ['Keys'];

/** API keys of the caller's project. Requires the scope admin. */
export const keyRoutes =
  ({ pool, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('admin'));

    app.post(
      '/keys',
      {
        schema: {
          operationId: 'createKey',
          summary: 'Create a key; it is shown only once',
          tags,
          body: KeyInput,
          response: responses({ 201: NewKey }, ...BODY_ERRORS, 404),
        },
      },
      async ({ caller, body }, reply) => {
        const project = body.project ?? caller.projectKey;
        if (project !== caller.projectKey && !isOperator(caller)) {
          throw new HttpProblem(
            'operator_only',
            'only an admin of the default project makes keys for another project',
          );
        }
        const expiresAt = body.expiresAt ?? null;
        if (expiresAt !== null && expiresAt <= clock.now()) {
          throw invalid([{ field: 'expiresAt', message: 'is in the past; expected a future instant' }]);
        }
        const draft = { name: body.name, scopes: body.scopes, expiresAt };
        const made = await createKey(pool, { project, draft, actor: caller.keyName });
        if (!made) throw notFound('project', project);
        return reply.status(201).send({ ...presentKey(made.view), key: made.key });
      },
    );

    app.get(
      '/keys',
      {
        schema: {
          operationId: 'listKeys',
          summary: 'List keys, including revoked ones, newest first',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(Key) }, 400),
        },
      },
      async ({ caller, query: { limit, cursor } }) => {
        const page = { projectId: caller.projectId, limit: limit + 1, beforeId: idInCursor(cursor) };
        const { items, nextCursor } = pageOf(await listKeys(pool, page), limit, ({ id }) => id);
        return { items: items.map(presentKey), nextCursor };
      },
    );

    app.delete(
      '/keys/:id',
      {
        schema: {
          operationId: 'revokeKey',
          summary: 'Revoke a key; takes effect on every replica within a second',
          tags,
          params: z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
          response: responses({ 200: Key }, 400, 404),
        },
      },
      async ({ caller, params }) => {
        const revoked = await revokeKey(pool, {
          projectId: caller.projectId,
          id: params.id,
          actor: caller.keyName,
        });
        if (!revoked) throw notFound('key', String(params.id));
        return presentKey(revoked);
      },
    );
  };
