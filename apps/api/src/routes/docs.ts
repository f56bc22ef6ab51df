import { PROBLEMS, type ProblemCode } from '@carillon/shared';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { notFound } from '../http/problem.js';
import { REFERENCE_POLICY, TEXT_PAGE_POLICY } from '../http/security-headers.js';
import { renderProblem, renderProblemList } from '../pages/problems.js';

/** The OpenAPI document at /openapi.json, the reference at /docs, and a page for every problem under /problems. */
export const docRoutes: FastifyPluginAsync = async (app) => {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: REFERENCE_POLICY,
    theme: { title: 'Carillon API' },
    uiConfig: { deepLinking: true, docExpansion: 'none', validatorUrl: null },
  });

  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=60')
      .header('access-control-allow-origin', '*')
      .send(app.swagger()),
  );

  app.get('/problems', { schema: { hide: true } }, async (_request, reply) =>
    sendPage(reply, renderProblemList()),
  );

  app.get('/problems/:code', { schema: { hide: true } }, async ({ params }, reply) => {
    const { code } = params as { code: string };
    if (!Object.hasOwn(PROBLEMS, code)) throw notFound('problem', code);
    return sendPage(reply, renderProblem(code as ProblemCode));
  });
};

const sendPage = (reply: FastifyReply, page: string) =>
  reply.header('content-security-policy', TEXT_PAGE_POLICY).type('text/html; charset=utf-8').send(page);
