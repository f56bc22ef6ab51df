import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginAsync } from 'fastify';
import { DASHBOARD_POLICY } from '../http/security-headers.js';
import { readStaticFiles, type StaticFile, sendStaticFile } from '../http/static-files.js';
import { renderNotBuilt } from '../pages/not-built.js';

/** The build of apps/guide. The relative path is the same from `src` and from `dist`. */
const BUILT = fileURLToPath(new URL('../../../guide/dist/site', import.meta.url));

/** Reads the built guide into memory, about three megabytes; null if it is not built. */
export const readGuideFiles = (folder = BUILT): ReadonlyMap<string, StaticFile> | null =>
  existsSync(folder) ? readStaticFiles(folder) : null;

/**
 * Serves the guide: documentation that can be read without an API key, without JavaScript and without any other server.
 */
export const guideRoutes =
  (files: ReadonlyMap<string, StaticFile> | null): FastifyPluginAsync =>
  async (app) => {
    // The redirect is relative, so that it also works behind a proxy that serves the API below a path.
    app.get('/guide', { schema: { hide: true } }, async (_request, reply) => reply.redirect('guide/', 302));

    app.get('/guide/*', { schema: { hide: true } }, async (request, reply) => {
      reply.header('content-security-policy', DASHBOARD_POLICY);
      if (!files) return reply.status(503).type('text/html; charset=utf-8').send(renderNotBuilt('guide'));
      const { '*': path } = request.params as { '*': string };
      const file = files.get(path);
      if (file && !path.endsWith('.html')) return sendStaticFile(request, reply, file);
      const page = files.get(`${path || 'index'}.html`);
      if (!page) return reply.callNotFound();
      // A page names the hashed files of one build, so a browser must request it again every time.
      return sendStaticFile(request, reply.header('cache-control', 'no-cache'), page);
    });
  };
