import { ProblemAnswer } from '@carillon/shared';
import type { z } from 'zod';

const PROBLEM = { content: { 'application/problem+json': { schema: ProblemAnswer } } };
/** Error statuses that every route under /v1 may answer with. */
const EVERY_ROUTE = [401, 403, 429, 503];

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is invalid; `errors` names the fields.',
  401: 'The key is missing, unknown, expired or revoked.',
  403: 'The key lacks the required scope.',
  404: 'The resource does not exist in the project of the key.',
  409: 'The state of the resource does not allow this.',
  412: 'The resource has changed since the version that If-Match names.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The Idempotency-Key was already used for another request.',
  429: 'Too many requests; Retry-After says when to try again.',
  503: 'The database could not be reached, or the API is stopping. The code says whether something may have been changed.',
};

type Responses = Record<number, z.ZodType>;

/** The response schemas of a route: its successes, plus a problem for each error status that it may answer with. */
export function responses<T extends Responses>(successes: T, ...errorStatuses: number[]): T {
  const statuses = [...new Set([...EVERY_ROUTE, ...errorStatuses])];
  const problems = statuses.map((status) => [status, { description: DESCRIPTIONS[status], ...PROBLEM }]);
  // The type lists only the successes, because a route throws problems instead of returning them.
  return { ...successes, ...Object.fromEntries(problems) } as T;
}

/** The response schemas of a route that needs no key. */
export function publicResponses<T extends Record<number, object>>(
  successes: T,
  ...errorStatuses: number[]
): T {
  const problems = [...errorStatuses, 429, 503].map((status) => [
    status,
    { description: DESCRIPTIONS[status], ...PROBLEM },
  ]);
  return { ...successes, ...Object.fromEntries(problems) } as T;
}

/** Error statuses of routes that take a body. */
export const BODY_ERRORS = [400, 413, 415] as const;
