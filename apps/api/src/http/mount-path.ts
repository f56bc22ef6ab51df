import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * The path below which another server has passed this request on, such as `/scheduler`; empty if the request came
 * directly. The other server keeps the whole address as `originalUrl`, as Express does.
 */
export function mountPathOf({ originalUrl, url }: FastifyRequest): string {
  if (originalUrl === url) return '';
  // A request for the mount path itself has `/` as its own path, which the whole address need not contain.
  return originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : (originalUrl.split('?')[0] ?? '');
}

/** Adds the mount path to each `Location` header that names a path of this API. */
export function prefixLocations(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && location.startsWith('/'))
      reply.header('location', mountPathOf(request) + location);
  });
}
