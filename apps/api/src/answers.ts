import { ProblemAnswer } from '@carillon/shared';
import type { z } from 'zod';

const REFUSAL = { content: { 'application/problem+json': { schema: ProblemAnswer } } };
/** What any route under /v1 may answer. */
const ALWAYS = [401, 403, 429, 503];

const DESCRIPTIONS: Record<number, string> = {
  400: 'What is wrong with the request, by field.',
  401: 'No key, or one that is unknown, expired or revoked.',
  403: 'The key lacks the scope.',
  404: 'There is none in your project.',
  409: 'It is in a state in which this cannot be done.',
  412: 'It has changed since the version that If-Match names.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The Idempotency-Key came before with another request.',
  429: 'Too many requests; Retry-After says when to come back.',
  503: 'The database is away; nothing was changed.',
};

type Answers = Record<number, z.ZodType>;

/** The answers of a route, for its schema: what it says when it works, and how it may refuse. */
export function answers<T extends Answers>(works: T, ...refusals: number[]): T {
  const statuses = [...new Set([...ALWAYS, ...refusals])];
  const refused = statuses.map((status) => [status, { description: DESCRIPTIONS[status], ...REFUSAL }]);
  // Typed as what works: routes refuse by throwing, never by sending.
  return { ...works, ...Object.fromEntries(refused) } as T;
}

/** Refusals of routes that take a body. */
export const BODY = [400, 413, 415] as const;
