import { takesIdempotencyKey, takesIfMatch } from '../http/conditional-headers.js';

/** The parts of an OpenAPI operation that this file changes. */
export interface Operation {
  operationId?: string;
  parameters?: Record<string, unknown>[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: Record<string, unknown> }> };
  responses?: Record<string, { description?: string; headers?: Record<string, unknown> }>;
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

/** Every response header that a client may rely on. */
export const RESPONSE_HEADERS = {
  ETag: { description: 'The version of the schedule, such as `"3"`. Send it as `If-Match`.', schema: text },
  Location: { description: 'The path of the resource.', schema: text },
  'Idempotency-Replayed': {
    description:
      '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'RateLimit-Limit': { description: 'Requests per minute of the project.', schema: count },
  'RateLimit-Remaining': { description: 'Requests that are left at this moment.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until all requests are available again.', schema: count },
  'RateLimit-Policy': { description: 'The limit and its window, such as `6000;w=60`.', schema: text },
} as const;

type HeaderName = keyof typeof RESPONSE_HEADERS;

const RATE_LIMIT: HeaderName[] = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
];

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat: a repeat with the same key and body is not executed again and gets the first response. The key is kept for a day.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of the version that the client has seen, such as `"3"`; `*` for any. Another version answers 412.',
  schema: text,
};
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: '`*`: creates the schedule, and answers 412 if it exists.',
  schema: { type: 'string', enum: ['*'] },
};

const LOCATED = [
  'createSchedule',
  'putSchedule',
  'createUser',
  'createTask',
  'createReminder',
  'actOnSchedules',
];
const DESCRIPTIONS: Record<string, string> = {
  '200': 'Success.',
  '201': 'Created.',
  '202': 'Accepted. The action goes on in the background.',
};

/**
 * Adds the headers of requests and responses to an operation, and marks a body that may be omitted as optional. An
 * operation that may answer 422 takes an `Idempotency-Key`. One that may answer 412 takes `If-Match` and answers with
 * an ETag.
 */
export function describeHeaders(path: string, operation: Operation): Operation {
  const { operationId = '', parameters = [], requestBody, responses = {} } = operation;
  const takesKey = takesIdempotencyKey(responses);
  const hasVersion = takesIfMatch(responses);
  const added = [
    ...(takesKey ? [IDEMPOTENCY_KEY] : []),
    ...(hasVersion ? [IF_MATCH] : []),
    ...(operationId === 'putSchedule' ? [IF_NONE_MATCH] : []),
  ];
  const all = [...parameters, ...added];
  const headersOf = (status: string): HeaderName[] => {
    const isSuccess = status.startsWith('2');
    const hasETag = isSuccess && (hasVersion || ['createSchedule', 'readSchedule'].includes(operationId));
    return [
      ...(hasETag ? (['ETag'] as const) : []),
      ...(isSuccess && LOCATED.includes(operationId) ? (['Location'] as const) : []),
      ...(isSuccess && takesKey ? (['Idempotency-Replayed'] as const) : []),
      ...(status === '429' || status === '503' ? (['Retry-After'] as const) : []),
      ...(path.startsWith('/v1/') && status !== '401' ? RATE_LIMIT : []),
    ];
  };
  return {
    ...operation,
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(requestBody ? { requestBody: withOptionalBody(requestBody) } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        withHeaders(status, response, headersOf(status)),
      ]),
    ),
  };
}

function withHeaders(
  status: string,
  response: NonNullable<Operation['responses']>[string],
  names: readonly HeaderName[],
) {
  const isUndescribed = response.description === 'Default Response';
  const refs = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    ...response,
    ...(isUndescribed ? { description: DESCRIPTIONS[status] ?? 'Success, without a body.' } : {}),
    ...(refs.length > 0 ? { headers: { ...response.headers, ...Object.fromEntries(refs) } } : {}),
  };
}

/** A body whose schema allows null may be omitted. */
function withOptionalBody(
  body: NonNullable<Operation['requestBody']>,
): NonNullable<Operation['requestBody']> {
  const json = body.content?.['application/json'];
  const { anyOf, ...others } = (json?.schema ?? {}) as { anyOf?: Record<string, unknown>[] };
  const [first, ...rest] = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (!anyOf || !first || rest.length + 1 === anyOf.length) return body;
  const schema = rest.length === 0 ? { ...others, ...first } : { ...others, anyOf: [first, ...rest] };
  return { ...body, required: false, content: { ...body.content, 'application/json': { schema } } };
}
