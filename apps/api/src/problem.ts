import { isDatabaseAway, OverLimit } from '@carillon/db';
import type { Problem as FieldProblem } from '@carillon/shared';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { fieldProblems } from './field-problems.js';

const TITLES: Record<number, string> = {
  400: 'Invalid request',
  401: 'No valid API key',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflict',
  412: 'Stale version',
  413: 'Too large',
  415: 'Unsupported media type',
  422: 'Not the same request',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Unavailable',
};

/** An answer that says what went wrong, by RFC 9457. Thrown by routes, turned into HTTP in one place. */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly errors: FieldProblem[] = [],
    readonly headers: Record<string, string> = {},
  ) {
    super(detail);
  }
}

export const invalid = (errors: FieldProblem[]) =>
  new HttpProblem(400, errors.map(({ field, message }) => `${field}: ${message}`).join('; '), errors);

export const notFound = (what: string, id: string) =>
  new HttpProblem(404, `there is no ${what} with the id ${id}`);

export function sendProblem(
  error: FastifyError | HttpProblem,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const problem = toProblem(error);
  if (problem.status >= 500) request.log.error({ err: error }, 'Request failed');
  reply
    .status(problem.status)
    .headers(problem.headers)
    .header('content-type', 'application/problem+json; charset=utf-8')
    // A string is sent as it is, whatever schema the route has for this status.
    .serializer((body) => body as string)
    .send(
      JSON.stringify({
        type: 'about:blank',
        title: TITLES[problem.status] ?? 'Error',
        status: problem.status,
        detail: problem.detail,
        instance: request.url,
        ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
      }),
    );
}

function toProblem(error: FastifyError | HttpProblem): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof OverLimit) return new HttpProblem(409, error.message);
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issues = error.validation.map(({ instancePath, keyword, message, params }) => ({
      ...params,
      code: keyword,
      message: message ?? 'invalid',
      path: instancePath.split('/').slice(1),
    }));
    return invalid(fieldProblems(issues, error.validationContext));
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new HttpProblem(error.statusCode, error.message);
  }
  if (isDatabaseAway(error)) {
    const detail = 'the database is away; nothing was changed, try again';
    return new HttpProblem(503, detail, [], { 'retry-after': '1' });
  }
  return new HttpProblem(500, 'something went wrong here; it has been logged');
}
