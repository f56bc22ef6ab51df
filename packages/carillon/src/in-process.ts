import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';

/** A `fetch` that hands its requests to an API in this process, without a network in between. */
export function fetchInProcess(app: FastifyInstance): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    const { pathname, search } = new URL(request.url);
    const body = await request.text();
    const response = await app.inject({
      method: request.method as 'GET',
      url: `${pathname}${search}`,
      headers: Object.fromEntries(request.headers),
      ...(body === '' ? {} : { payload: body }),
      signal: request.signal,
      payloadAsStream: true,
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const each of [value].flat()) if (each !== undefined) headers.append(name, String(each));
    const { statusCode: status } = response;
    const hasBody = status !== 204 && status !== 304;
    return new Response(hasBody ? (Readable.toWeb(response.stream()) as ReadableStream) : null, {
      status,
      headers,
    });
  };
}

/**
 * The API as a plugin of another Fastify server. Requests are passed on before the outer server reads their body, so
 * that the parsers, hooks and error handlers of the two servers do not mix.
 */
export function mountPlugin(app: FastifyInstance, mountPath: string): FastifyPluginAsync {
  return async (server) => {
    server.addHook('onRequest', async (request, reply) => {
      reply.hijack();
      passOn(app, request.raw, reply.raw, `${server.prefix}${mountPath}`);
    });
    for (const path of mountPath === '' ? ['/*'] : [mountPath, `${mountPath}/*`])
      server.all(path, () => Promise.reject(new Error('the request was not passed on')));
  };
}

/**
 * Hands a request to the API without the mount path. The whole address stays in `originalUrl`, from which the API makes
 * the addresses in its responses. Express has set `originalUrl` already.
 */
export function passOn(
  app: FastifyInstance,
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
  mountPath: string,
): void {
  const url = request.url ?? '/';
  request.originalUrl ??= url;
  request.url = withoutMountPath(url, mountPath);
  app.routing(request, response);
}

function withoutMountPath(url: string, mountPath: string): string {
  if (mountPath === '' || !url.startsWith(mountPath)) return url;
  const rest = url.slice(mountPath.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
