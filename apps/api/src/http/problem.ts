import { isDatabaseAway, type KeyOwner, OverLimit } from '@carillon/db';
import {
  type FieldError,
  type Problem as FieldProblem,
  PROBLEMS,
  type ProblemCode,
  problemType,
} from '@carillon/shared';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { codedErrors, fieldErrors } from './field-errors.js';
import { mountPathOf } from './mount-path.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether a request to the route may write. Default: a request of an authenticated caller may, unless its method is
     * GET or HEAD. If Postgres fails, a request that may write is answered with `outcome_unknown`.
     */
    mayWrite?: boolean | ((body: unknown) => boolean);
  }
}

interface Details {
  errors?: readonly (FieldProblem | z.infer<typeof FieldError>)[];
  headers?: Record<string, string>;
}

/** A problem by RFC 9457. Routes throw it, and only `sendProblem` turns it into an HTTP response. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly errors: z.infer<typeof FieldError>[];
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    { errors = [], headers = {} }: Details = {},
  ) {
    super(detail);
    this.status = PROBLEMS[code].status;
    this.errors = codedErrors(errors);
    this.headers = headers;
  }
}

export const invalid = (errors: readonly FieldProblem[]) =>
  new HttpProblem('invalid_request', errors.map(({ field, message }) => `${field}: ${message}`).join('; '), {
    errors,
  });

export const notFound = (resource: string, id: string) =>
  new HttpProblem('not_found', `there is no ${resource} with the id ${id}`);

export function sendProblem(
  error: FastifyError | HttpProblem,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const problem = toProblem(error, request);
  const { code, status, headers } = problem;
  // An outage of Postgres is logged once, not with every request. A problem that the API throws itself is no failure.
  if (status >= 500 && !isDatabaseAway(error) && !(error instanceof HttpProblem))
    request.log.error({ err: error, code, ...placeOf(request) }, 'Request failed');
  reply
    .status(status)
    .headers(headers)
    .header('content-type', 'application/problem+json; charset=utf-8')
    // The body is a string already, so the serializer of the route must not encode it again.
    .serializer((body) => body as string)
    .send(writeProblem(problem, { mountPath: mountPathOf(request), instance: request.originalUrl }));
}

/** The JSON document of a problem. A request that could not be read has no `instance`. */
export function writeProblem(
  { code, status, detail, errors }: HttpProblem,
  { mountPath = '', instance }: { mountPath?: string; instance?: string } = {},
): string {
  return JSON.stringify({
    type: mountPath + problemType(code),
    code,
    title: PROBLEMS[code].title,
    status,
    detail,
    instance,
    ...(errors.length > 0 ? { errors } : {}),
  });
}

/**
 * Names the request in a log line. The route is a pattern such as `/v1/schedules/:id`, because an address may hold
 * confidential values. The project is undefined until the caller has been authenticated.
 */
export const placeOf = ({ caller, method, routeOptions }: FastifyRequest) => ({
  projectId: (caller as KeyOwner | undefined)?.projectId,
  method,
  route: routeOptions.url,
});

/** The problem codes for errors that Fastify itself raises, by status. */
const FASTIFY_ERRORS: Readonly<Record<number, ProblemCode>> = {
  404: 'route_not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
};

function toProblem(error: FastifyError | HttpProblem, request: FastifyRequest): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof OverLimit) return new HttpProblem('schedule_limit_reached', error.message);
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issues = error.validation.map(({ instancePath, keyword, message, params }) => ({
      ...params,
      code: keyword,
      message: message ?? 'invalid',
      path: instancePath.split('/').slice(1),
    }));
    return invalid(fieldErrors(issues, error.validationContext));
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    const isJson = error.code === 'FST_ERR_CTP_INVALID_JSON_BODY' || error instanceof SyntaxError;
    const code = isJson ? 'invalid_json' : (FASTIFY_ERRORS[error.statusCode] ?? 'bad_request');
    return new HttpProblem(code, error.message);
  }
  if (isDatabaseAway(error)) return databaseProblem(request);
  return new HttpProblem('internal_error', 'the request failed inside the API, which has logged the cause');
}

/**
 * The problem of a query that failed because Postgres was away. A change may have been committed, so the problem of a
 * request that may write is `outcome_unknown`.
 */
function databaseProblem(request: FastifyRequest): HttpProblem {
  const headers = { 'retry-after': '1' };
  return mayWrite(request)
    ? new HttpProblem(
        'outcome_unknown',
        'the connection to the database broke; the change may or may not have been made',
        { headers },
      )
    : new HttpProblem('database_unavailable', 'the database could not be reached; try again', { headers });
}

function mayWrite({ method, caller, body, routeOptions: { config } }: FastifyRequest): boolean {
  if (typeof config.mayWrite === 'function') return config.mayWrite(body);
  return config.mayWrite ?? (caller !== undefined && method !== 'GET' && method !== 'HEAD');
}

/** The config of a route that writes nothing if its body has `dryRun`. */
export const WRITES_UNLESS_DRY_RUN = {
  mayWrite: (body: unknown) => (body as { dryRun?: unknown } | null | undefined)?.dryRun !== true,
};
