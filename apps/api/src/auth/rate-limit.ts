import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../http/problem.js';
import { TokenBuckets } from './token-buckets.js';
import type { UsageBus } from './usage-bus.js';

/**
 * Limits the requests per minute of each project, over all replicas. All keys of a project share the limit; otherwise
 * an admin of the project could multiply it by creating keys. The `ratelimit-*` headers say how many requests are left
 * and when the bucket is full again.
 */
export function limitRate(
  perMinute: number,
  bus: UsageBus,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const buckets = new TokenBuckets<number>({ shared: { bus, name: 'requests' } });
  return async ({ caller }, reply) => {
    const limit = caller.limits.requestsPerMinute ?? perMinute;
    if (limit === 0) return;
    const { isTaken, tokens, waitMs } = buckets.take(caller.projectId, limit);
    reply.headers({
      'ratelimit-limit': limit,
      'ratelimit-remaining': Math.max(0, Math.floor(tokens)),
      'ratelimit-reset': Math.ceil(((limit - tokens) / limit) * 60),
      'ratelimit-policy': `${limit};w=60`,
    });
    if (!isTaken)
      throw tooManyRequests('rate_limited', {
        detail: `more than ${limit} requests a minute from this project`,
        waitMs,
      });
  };
}

/** A 429 with the seconds after which to try again. */
export function tooManyRequests(
  code: 'rate_limited' | 'too_many_invalid_keys' | 'too_many_bulk_requests' | 'too_many_pings',
  { detail, waitMs }: { detail: string; waitMs: number },
): HttpProblem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const headers = { 'retry-after': String(seconds) };
  return new HttpProblem(code, `${detail}; try again in ${seconds} s`, { headers });
}
