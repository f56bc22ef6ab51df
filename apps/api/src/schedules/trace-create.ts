import { recordCreatedTrace } from '@carillon/db';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../context.js';

/**
 * Starts the span of a request that may create schedules, as part of the caller's trace if the request names one. The
 * returned function takes the ids of the created schedules. After the response is sent, the trace is stored with these
 * schedules, so that their runs can be linked to it. An error in storing does not fail the request. Nothing happens
 * unless traces are recorded.
 */
export function traceCreate(
  { tracing, pool }: Pick<ApiContext, 'tracing' | 'pool'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): (keys: readonly string[]) => void {
  if (!tracing) return () => {};
  const { traceparent } = request.headers;
  const span = tracing.start('create', {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: { 'http.request.method': request.method, 'http.route': request.routeOptions.url ?? '' },
  });
  let created: readonly string[] = [];
  reply.raw.once('close', () => {
    span.end({
      attributes: { 'http.response.status_code': reply.statusCode, 'carillon.schedules': created.length },
      ...(reply.statusCode >= 500 ? { error: String(reply.statusCode) } : {}),
    });
    if (created.length === 0) return;
    const { projectId } = request.caller;
    recordCreatedTrace(pool, { projectId, keys: created, trace: span.traceparent }).catch((error) =>
      request.log.debug({ err: error }, 'The trace of a create could not be stored'),
    );
  });
  return (keys) => {
    created = keys;
  };
}
