import { endSessions } from '@carillon/db';
import { EndedSessions, Me, SessionInput } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CHALLENGE, isOperator, requireScope } from '../auth/authenticate.js';
import { clearSessionCookie } from '../auth/session.js';
import { signIn, signOut } from '../auth/sign-in.js';
import type { ApiContext } from '../context.js';
import { refuseIfMatch } from '../http/conditional-headers.js';
import { HttpProblem } from '../http/problem.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { iso } from '../present/iso.js';

const tags = ['Sessions'];
const NO_CONTENT = z.null().meta({ description: 'Done.' });

/** Sign-in by an API key in the body. It needs no key in the `Authorization` header. */
export const signInByKeyRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', refuseIfMatch);

    app.post(
      '/session',
      {
        config: { mayWrite: true },
        schema: {
          operationId: 'signIn',
          summary: 'Exchange an API key for a session cookie',
          description:
            'For browsers. The cookie is HttpOnly and SameSite=Strict, and has the prefix `__Host-` behind https. It holds a random token, never the key. The session lasts a week, and ends with its key. A request that carries the cookie and changes something must come from a page of this origin. Failed attempts are limited by client address.',
          tags,
          security: [],
          body: SessionInput,
          response: responses({ 204: NO_CONTENT }, ...BODY_ERRORS),
        },
      },
      async (request, reply) => {
        const owner = await signIn(context, { request, reply, key: request.body.key });
        if (!owner)
          throw new HttpProblem('invalid_key', 'this API key is unknown, expired or revoked', {
            headers: CHALLENGE,
          });
        return reply.status(204).send(null);
      },
    );
  };

/** The caller, and the sessions of the caller's key. */
export const sessionRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, keys } = context;
    app.addHook('onRequest', requireScope('read'));

    app.get(
      '/me',
      {
        schema: {
          operationId: 'readMe',
          summary: 'Read the project, the key and the scopes of the caller',
          tags,
          response: responses({ 200: Me }),
        },
      },
      async ({ caller }) => ({
        project: caller.projectKey,
        keyId: caller.keyId,
        keyName: caller.keyName,
        scopes: caller.scopes,
        isOperator: isOperator(caller),
        sessionExpiresAt: iso(caller.sessionExpiresAt ?? null),
      }),
    );

    app.delete(
      '/session',
      {
        schema: {
          operationId: 'signOut',
          summary: 'End the session of the cookie',
          tags,
          response: responses({ 204: NO_CONTENT }, 400),
        },
      },
      async (request, reply) => {
        await signOut(context, { request, reply });
        return reply.status(204).send(null);
      },
    );

    app.delete(
      '/sessions',
      {
        schema: {
          operationId: 'signOutEverywhere',
          summary: 'End all sessions of the key, on every replica within a second',
          tags,
          response: responses({ 200: EndedSessions }, 400),
        },
      },
      async (request, reply) => {
        const ended = await endSessions(pool, request.caller);
        keys.forgetSessions();
        if (request.credential.kind === 'session') clearSessionCookie(request, reply);
        return { ended };
      },
    );
  };
