import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../problem.js';

interface Bucket {
  tokens: number;
  filledAt: number;
}

const MINUTE_MS = 60_000;
const MOST_BUCKETS = 10_000;

/**
 * So many requests a minute for each key, counted by each replica for itself: a bucket that holds a minute's worth and
 * fills steadily. The headers say how much is left and when it is full again.
 */
export function limitRate(
  perMinute: number,
  now: () => number = () => performance.now(),
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const buckets = new Map<number, Bucket>();
  return async ({ caller }, reply) => {
    const limit = caller.limits.requestsPerMinute ?? perMinute;
    if (limit === 0) return;
    const bucket = buckets.get(caller.keyId) ?? { tokens: limit, filledAt: now() };
    const at = now();
    bucket.tokens = Math.min(limit, bucket.tokens + ((at - bucket.filledAt) * limit) / MINUTE_MS);
    bucket.filledAt = at;
    if (buckets.size >= MOST_BUCKETS) buckets.clear();
    buckets.set(caller.keyId, bucket);
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens--;
    reply.headers({
      'ratelimit-limit': limit,
      'ratelimit-remaining': Math.floor(bucket.tokens),
      'ratelimit-reset': Math.ceil(((limit - bucket.tokens) / limit) * 60),
      'ratelimit-policy': `${limit};w=60`,
    });
    if (isAllowed) return;
    const seconds = Math.max(1, Math.ceil(((1 - bucket.tokens) / limit) * 60));
    throw new HttpProblem(429, `more than ${limit} requests a minute; try again in ${seconds} s`, [], {
      'retry-after': String(seconds),
    });
  };
}
