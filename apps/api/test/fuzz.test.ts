import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches } from './json-schema.js';
import { anyValue, type Schema, valueFor } from './schema-arbitrary.js';
import { scheduleBody, useApi } from './use-api.js';

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const api = useApi();

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | null;
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Record<string, unknown>>).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    parameters: (operation.parameters ?? []) as Parameter[],
    body:
      (operation.requestBody as { content: Record<string, { schema: Schema }> } | undefined)?.content[
        'application/json'
      ]?.schema ?? null,
    responses: operation.responses as Operation['responses'],
  })),
);

/** Mostly valid values, sometimes invalid ones. */
const mostly = (schema: Schema) =>
  fc.oneof({ weight: 5, arbitrary: valueFor(schema, document) }, { weight: 1, arbitrary: anyValue });

const NO_SUCH = ['nope', 'run_r1_mi1k8qo0'];
/** Key ids to revoke. None is the id of the key that the test uses. */
const OTHER_KEYS = ['4000', '0', '-1', 'x', '1e3', '9'.repeat(30)];

function requestOf({ path, parameters, body }: Operation, known: readonly string[]) {
  const ids = path.startsWith('/v1/keys')
    ? fc.constantFrom(...OTHER_KEYS)
    : fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...known, ...NO_SUCH) },
        { weight: 1, arbitrary: fc.string() },
      );
  const parts = parameters.map(({ name, in: place, required, schema }) =>
    fc.record({
      name: fc.constant(name),
      place: fc.constant(place),
      value:
        place === 'path'
          ? ids
          : required
            ? mostly(schema)
            : fc.oneof(
                { weight: 3, arbitrary: fc.constant(undefined) },
                { weight: 1, arbitrary: mostly(schema) },
              ),
    }),
  );
  return fc.record({
    parts: fc.tuple(...parts),
    body: body ? fc.option(mostly(body), { nil: undefined, freq: 10 }) : fc.constant(undefined),
    headers: fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('"1"', '*', 'x', '"99"').map((text) => ({ 'if-match': text })),
      },
      {
        weight: 1,
        arbitrary: fc
          .string({ maxLength: 3 })
          .map((text) => ({ 'idempotency-key': encodeURIComponent(text) })),
      },
    ),
  });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)) ?? '';

describe('Fuzzed requests', () => {
  it.each(
    operations
      .filter(({ path }) => path !== '/v1/events')
      .map((operation) => [`${operation.method} ${operation.path}`, operation] as const),
  )(
    'every response to %s with random parameters and bodies matches the OpenAPI document',
    async (_name, operation) => {
      const schedules = [1, 2, 3, 4].map(() => scheduleBody({ rule: { every: 'P1D' } }));
      for (const body of schedules) await api.call('POST', '/v1/schedules', { body });
      const { body: run } = await api.call('POST', `/v1/schedules/${schedules[0]?.id}/trigger`);
      await api.call('POST', `/v1/schedules/${schedules[1]?.id}/pause`);
      const known = operation.path.startsWith('/v1/runs') ? [run.runId] : schedules.map(({ id }) => id);
      const seen = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(requestOf(operation, known), async ({ parts, body, headers }) => {
          let path = operation.path;
          const query = new URLSearchParams();
          for (const { name, place, value } of parts) {
            if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(textOf(value)) || 'x');
            else if (place === 'query' && value !== undefined) query.append(name, textOf(value));
          }
          if (/\/\.{1,2}(\/|$)/.test(decodeURIComponent(path))) return;
          const answer = await api.call(operation.method, query.size > 0 ? `${path}?${query}` : path, {
            body,
            headers,
          });
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
          const described = operation.responses[String(answer.status)];
          expect(described, `${answer.status} ${answer.text.slice(0, 500)}`).toBeDefined();
          const [type, content] = Object.entries(described?.content ?? {})[0] ?? [];
          if (type !== undefined) expect(answer.headers.get('content-type')).toContain(type);
          if (answer.body !== null && content) {
            expect(matches(answer.body, content.schema, document), answer.text.slice(0, 1_000)).toEqual([]);
          }
        }),
        { numRuns: Number(process.env.FUZZ_RUNS ?? 12) },
      );
      // Only a sign-in may answer 401, because its key is in the random body. All other requests are authenticated by
      // the valid key in their header.
      if (operation.path !== '/v1/session') expect(seen.has(401)).toBe(false);
      if (process.env.FUZZ_SHOW) console.log(_name, Object.fromEntries(seen));
    },
    120_000,
  );
});
