import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { DashboardFiles } from '../http/dashboard-files.js';
import { DASHBOARD_POLICY } from '../http/security-headers.js';
import { sendStaticFile } from '../http/static-files.js';
import { renderNotBuilt } from '../pages/not-built.js';

/** Paths of the API itself. An unknown path under one of them is answered with 404, not with the page. */
const API_PATHS = /^\/(v1|health|docs|guide|queues|problems|ping)(\/|$)/;

/**
 * Serves the files of the dashboard, and its page for every other path below its base path that is not part of the API.
 */
export const dashboardRoutes =
  (files: DashboardFiles | null): FastifyPluginAsync =>
  async (app) => {
    app.get('/*', { schema: { hide: true } }, async (request, reply) => {
      const path = pathOf(request);
      const file = files?.byPath.get(path);
      if (file) return sendStaticFile(request, reply, file);
      // The page at `/` is sent to every client, even to one that does not ask for HTML, such as curl.
      const isHome = path === '/' || path === files?.basePath;
      if (API_PATHS.test(path) || !(isHome || accepts(request, 'text/html'))) return reply.callNotFound();
      if (!files) return sendPage(reply.status(503), renderNotBuilt('dashboard'));
      if (!isUnder(path, files.basePath)) {
        return path === '/' ? reply.redirect(files.basePath, 302) : reply.callNotFound();
      }
      return sendPage(reply, files.page);
    });
  };

/** The page refers to the hashed files of one build, so a browser must request the page again every time. */
const sendPage = (reply: FastifyReply, page: string) =>
  reply
    .header('content-security-policy', DASHBOARD_POLICY)
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(page);

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? '/';
const accepts = ({ headers }: FastifyRequest, type: string) => headers.accept?.includes(type) ?? false;
const isUnder = (path: string, basePath: string) => path === basePath || `${path}/`.startsWith(basePath);
