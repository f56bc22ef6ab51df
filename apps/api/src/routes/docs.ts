import type { FastifyPluginAsync } from 'fastify';
import { type OpenApiDocument, renderReference } from '../pages/reference.js';
import { PAGE_POLICY } from '../plugins/security-headers.js';

/** What this API is: for programs at /openapi.json, for people at /docs. */
export const docRoutes: FastifyPluginAsync = async (app) => {
  let page: string | null = null;

  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=60')
      .header('access-control-allow-origin', '*')
      .send(app.swagger()),
  );

  app.get('/docs', { schema: { hide: true } }, async (_request, reply) => {
    page ??= renderReference(app.swagger() as unknown as OpenApiDocument);
    return reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page);
  });
};
