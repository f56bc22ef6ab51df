import { z } from 'zod';

/**
 * Every problem that the API can return. The code is stable, so a client may branch on it. The page to which the
 * problem's `type` leads shows the `advice`.
 */
export const PROBLEMS = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    advice:
      'Correct the fields that `errors` names, then send the request again. Each entry has the field, a code and the expected value.',
  },
  invalid_json: {
    status: 400,
    title: 'Invalid JSON',
    advice:
      'Send a JSON document that parses. The keys `__proto__` and `constructor.prototype` are refused anywhere in it.',
  },
  invalid_header: {
    status: 400,
    title: 'Invalid header',
    advice: 'Correct the request header that `detail` names.',
  },
  missing_key: {
    status: 401,
    title: 'No API key',
    advice:
      'Send a key as `Authorization: Bearer <key>`. An admin of the project makes keys with `POST /v1/keys`.',
  },
  invalid_key: {
    status: 401,
    title: 'Invalid API key',
    advice: 'The key is unknown, expired or revoked. Use another key.',
  },
  session_ended: {
    status: 401,
    title: 'Session ended',
    advice: 'The session is unknown, expired or was ended. Sign in again.',
  },
  missing_scope: {
    status: 403,
    title: 'Missing scope',
    advice:
      'Use a key that has the scope that `detail` names. `admin` includes `write`, and `write` includes `read`.',
  },
  operator_only: {
    status: 403,
    title: 'Only for operators',
    advice: 'Use an admin key of the project `default`. Admins of that project operate the installation.',
  },
  cross_site_request: {
    status: 403,
    title: 'Cross-site request',
    advice:
      'A browser session accepts changes only from pages of the same origin. Programs send a key in the `Authorization` header instead.',
  },
  route_not_found: {
    status: 404,
    title: 'No such route',
    advice: 'Check the method and the path against the API reference at `/docs`.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    advice: 'Check the id, and that the key belongs to the project that owns the resource.',
  },
  already_exists: {
    status: 409,
    title: 'Already exists',
    advice: 'Choose another id, or edit the resource that has this id.',
  },
  schedule_cancelled: {
    status: 409,
    title: 'The schedule was cancelled',
    advice:
      'Put the schedule back with `PUT /v1/schedules/{id}`, which replaces its definition and starts it anew; or remove it with its history by `DELETE /v1/schedules/{id}?purge=true` and create it again; or choose another id.',
  },
  invalid_state: {
    status: 409,
    title: 'Not possible in this state',
    advice: 'Read the resource to see its state. `detail` says which state is in the way.',
  },
  in_use: {
    status: 409,
    title: 'Still in use',
    advice: 'Remove the references that `detail` names, then send the request again.',
  },
  schedule_limit_reached: {
    status: 409,
    title: 'Schedule limit reached',
    advice: 'Cancel schedules, or ask an operator to raise the `schedules` limit of the project.',
  },
  encryption_key_missing: {
    status: 409,
    title: 'No encryption key',
    advice: 'Set `CARILLON_ENCRYPTION_KEY` on the API and on the workers, then restart them.',
  },
  request_timeout: {
    status: 408,
    title: 'Request arrived too slowly',
    advice:
      'Send the whole request within `REQUEST_TIMEOUT_MS` (30 seconds by default), and its headers within 10 seconds. The request was not executed.',
  },
  stale_version: {
    status: 412,
    title: 'Stale version',
    advice: 'Read the resource, apply the change to the new version, and send its ETag as `If-Match`.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    advice: 'Send less at once: 256 KiB per request, 16 MiB per bulk request.',
  },
  uri_too_long: {
    status: 414,
    title: 'Path too long',
    advice: 'Shorten the path. No id or token in a path has more than 1,024 characters.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    advice: 'Send the body as `content-type: application/json`.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    advice: 'Use a new key for a new request. The same key is only for repeating the same request.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    advice: 'Send fewer or shorter headers. The address and all headers together may have 16 KiB.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait for the seconds that `Retry-After` names. The request was not executed.',
  },
  too_many_invalid_keys: {
    status: 429,
    title: 'Too many requests without a valid key',
    advice:
      'Correct the key, then wait for the seconds that `Retry-After` names. The limit applies to a client address.',
  },
  too_many_bulk_requests: {
    status: 429,
    title: 'Too many bulk requests',
    advice:
      'Wait for the seconds that `Retry-After` names, and send bulk requests of a project one after the other. The request was not executed.',
  },
  unknown_ping: {
    status: 404,
    title: 'Unknown ping URL',
    advice:
      'Read the URL again with `GET /v1/schedules/:id/heartbeat`. A rotation replaces it, and cancelling the schedule ends it.',
  },
  too_many_pings: {
    status: 429,
    title: 'Too many pings',
    advice: 'Wait for the seconds that `Retry-After` names. The ping was not recorded.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many event streams',
    advice: 'Close a stream, or share one stream between the parts of a program.',
  },
  bad_request: {
    status: 400,
    title: 'Bad request',
    advice: 'Correct the request. `detail` says what the HTTP server refused.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    advice: 'Report it with the time and the path of the request. The API has logged the cause.',
  },
  database_unavailable: {
    status: 503,
    title: 'Database unavailable',
    advice: 'Send the request again after the seconds that `Retry-After` names. Nothing was changed.',
  },
  stopping: {
    status: 503,
    title: 'The API is stopping',
    advice:
      'Send the request again after the seconds that `Retry-After` names, on a new connection. The request was not executed.',
  },
  outcome_unknown: {
    status: 503,
    title: 'Outcome unknown',
    advice:
      'The connection to the database broke during the change, which may or may not have been committed. Repeat the request with the same `Idempotency-Key`; without a key, read the resource first.',
  },
} as const satisfies Record<string, { status: number; title: string; advice: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** The path of the page that explains a problem. */
export const problemType = (code: ProblemCode) => `/problems/${code}`;

/** The problem of one field. */
export const FieldError = z.object({
  field: z.string(),
  code: z.enum(['missing', 'unknown_field', 'invalid_value']),
  message: z.string(),
});

/** The body of every answer that is not a success (RFC 9457). */
export const ProblemAnswer = z
  .object({
    type: z.string().meta({ description: 'The path of the page that explains this problem.' }),
    code: z.enum(PROBLEM_CODES).meta({ description: 'Stable: clients may branch on it.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().optional().meta({
      description:
        'The path and the query of the request. It is absent if the API could not read the request.',
    }),
    errors: z.array(FieldError).optional(),
  })
  .meta({
    id: 'Problem',
    examples: [
      {
        type: problemType('invalid_request'),
        code: 'invalid_request',
        title: PROBLEMS.invalid_request.title,
        status: 400,
        detail: 'rule.cron: field 2 (hour) is 25; expected 0-23',
        instance: '/v1/schedules',
        errors: [
          { field: 'rule.cron', code: 'invalid_value', message: 'field 2 (hour) is 25; expected 0-23' },
        ],
      },
    ],
  });
