import type { FastifyRequest } from 'fastify';
import { HttpProblem } from './problem.js';

/**
 * An operation takes `Idempotency-Key` if it may answer 422, and `If-Match` if it may answer 412. The server and the
 * OpenAPI document both use this rule.
 */
export const takesIdempotencyKey = (responses: object) => '422' in responses;
export const takesIfMatch = (responses: object) => '412' in responses;

/**
 * Refuses `If-Match` at an operation that changes something without comparing versions. The client expects that its
 * change is not made if the resource has changed, so the header must not be ignored.
 */
export async function refuseIfMatch({ method, headers, routeOptions }: FastifyRequest): Promise<void> {
  const { response } = routeOptions.schema ?? {};
  if (headers['if-match'] === undefined || method === 'GET' || method === 'HEAD' || !response) return;
  if (!takesIfMatch(response))
    throw new HttpProblem(
      'invalid_header',
      'If-Match: this operation compares no versions; leave the header out',
    );
}
