import { createKey, listKeys, revokeKey } from '@carillon/db';
import { Cursor, Key, KeyInput, Limit, listOf, NewKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { idInCursor, pageOf } from '../cursor.js';
import { isOperator, requireScope } from '../plugins/authenticate.js';
import { presentKey } from '../present/key.js';
import { HttpProblem, invalid, notFound } from '../problem.js';

const tags = ['Keys'];

/** API keys of one's own project; for admins. */
export const keyRoutes =
  ({ pool, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('admin'));

    app.post(
      '/keys',
      {
        schema: {
          operationId: 'createKey',
          summary: 'Make a key; it is shown this once',
          tags,
          body: KeyInput,
          response: answers({ 201: NewKey }, ...BODY, 404),
        },
      },
      async ({ caller, body }, reply) => {
        const project = body.project ?? caller.projectKey;
        if (project !== caller.projectKey && !isOperator(caller)) {
          throw new HttpProblem(403, 'only admins of the default project make keys for another');
        }
        const expiresAt = body.expiresAt ?? null;
        if (expiresAt !== null && expiresAt <= clock.now()) {
          throw invalid([{ field: 'expiresAt', message: 'is past; expected an instant to come' }]);
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
          summary: 'List keys, newest first, also those revoked',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: answers({ 200: listOf(Key) }, 400),
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
          summary: 'Revoke a key, on every replica within a second',
          tags,
          params: z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
          response: answers({ 200: Key }, 400, 404),
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
