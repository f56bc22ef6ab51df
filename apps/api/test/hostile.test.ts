import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

// A larger run: HOSTILE_REQUESTS=20000 npx vitest run --project real apps/api/test/hostile.test.ts

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const api = useApi({ RATE_LIMIT_PER_MINUTE: '0' });

const cursor = (position: string) => Buffer.from(`1:${position}`).toString('base64url');
const base36 = (value: number) => value.toString(36);

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e\u0000',
  'null',
  '__proto__',
  'constructor',
  "' or 1=1 --",
  '../../../etc/passwd',
  '%00',
  '%',
  '🦊'.repeat(40),
  'x'.repeat(900),
  '-1',
  '0',
  'NaN',
  '1e309',
  '-0',
  '2147483648',
  '9007199254740993',
  '9223372036854775808',
  '0000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999-23:59',
  '9999-12-31T23:59:59Z',
  '2026-01-01T00:00:00+23:59',
  '2026-01-01T00:00:00-18:00',
  '2026-01-01T00:00:00+99:99',
  '2026-02-30T00:00:00Z',
  '2026-06-30T23:59:60Z',
  '2026-01-01T00:00:00.123456789012Z',
  '-infinity',
  'now',
  'P9999999Y',
  'PT0.0000001S',
  'PT99999999999999999999S',
  '0 0 31 2 *',
  'FREQ=SECONDLY;INTERVAL=-1',
  'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'Etc/GMT+99',
  'run_r1_0',
  'run_r0_0',
  `run_r1_${base36(-8.64e15)}`,
  `run_t1_${base36(8.64e15)}`,
  `run_b${base36(Number.MAX_SAFE_INTEGER)}_${base36(-62_135_596_800_001)}`,
  'run_rzzzzzzzzzzz_zzzzzzzzzz',
  cursor('\0'),
  cursor('a\0b'),
  cursor('-1'),
  cursor('1e99'),
  cursor('9007199254740991'),
  cursor('9223372036854775807'),
  cursor('8640000000000001/5'),
  cursor('9007199254740991/9007199254740991'),
  cursor('-9007199254740991/0'),
  cursor(`999999999999999/run_r1_${base36(-8.64e15)}`),
  cursor('999999999999999/run_r1_0'),
  cursor('0/run_r1_0'),
  cursor('\ud800'),
];

const VALUES: unknown[] = [
  ...TEXTS,
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 31,
  2 ** 53,
  [],
  [null],
  {},
  { a: { b: [1] } },
  ['\0'],
  JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`),
];

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  examples?: unknown[];
}

interface Request {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const resolve = (schema: Schema): Schema =>
  schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1) as string] : schema;

/** The paths of all fields of a body, down to a few levels. */
function fieldsOf(schema: Schema, depth = 0): string[][] {
  const { properties = {}, anyOf = [], oneOf = [], allOf = [] } = resolve(schema);
  const own =
    depth > 3
      ? []
      : Object.entries(properties).flatMap(([name, child]) => [
          [name],
          ...fieldsOf(child, depth + 1).map((path) => [name, ...path]),
        ]);
  return [...own, ...[...anyOf, ...oneOf, ...allOf].flatMap((each) => fieldsOf(each, depth))];
}

const SAMPLES: Record<string, unknown> = {
  rule: { cron: '0 9 * * *' },
  target: { type: 'handler', name: 'noop' },
  at: '2030-01-01T00:00:00Z',
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
  dates: ['2030-01-01'],
  items: [scheduleBody()],
  action: 'pause',
  dryRun: true,
  filter: { q: 'no-such-thing' },
  name: 'x',
  scopes: ['read'],
  title: 'x',
  dueAt: '2030-01-01T00:00:00Z',
  message: 'x',
  recipient: 'x',
  firstName: 'x',
  lastName: 'x',
  dateOfBirth: '1990-01-01',
  timezone: 'UTC',
  date: '1990-01-01',
};

/** Builds a valid body by guessing values from the names of the fields. */
const soundBody = (schema: Schema) =>
  Object.fromEntries(
    Object.keys(resolve(schema).properties ?? {})
      .filter((name) => name in SAMPLES)
      .map((name) => [name, SAMPLES[name]]),
  );

function withField(body: unknown, [name = '', ...rest]: string[], value: unknown): unknown {
  const object = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  const child = (object as Record<string, unknown>)[name];
  return { ...object, [name]: rest.length === 0 ? value : withField(child, rest, value) };
}

interface Operation {
  parameters?: { name: string; in: 'path' | 'query' | 'header' }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** One request for each hostile value in each parameter, header and body field of each operation. */
function* hostileRequests(known: Record<string, string>): Generator<Request> {
  for (const [template, methods] of Object.entries(
    document.paths as Record<string, Record<string, Operation>>,
  )) {
    for (const [method, operation] of Object.entries(methods)) {
      if (template === '/v1/events' || (template === '/v1/keys/{id}' && method === 'delete')) continue;
      const schema = operation.requestBody?.content['application/json']?.schema;
      const body = schema ? soundBody(schema) : undefined;
      const parameters = operation.parameters ?? [];
      const fill = (values: Record<string, string> = {}) =>
        template.replace(/\{(\w+)\}/g, (_, name) =>
          encode(values[name] ?? known[template.split('/')[2] ?? ''] ?? 'x'),
        );
      const request = (path: string, more: Partial<Request> = {}): Request => ({
        method: method.toUpperCase(),
        path,
        body,
        ...more,
      });
      for (const value of TEXTS) {
        for (const { name, in: place } of parameters) {
          if (place === 'path') yield request(fill({ [name]: value }));
          if (place === 'query') yield request(`${fill()}?${encode(name)}=${encode(value)}`);
        }
        for (const name of ['if-match', 'idempotency-key'])
          if (/^[\x20-\x7e]+$/.test(value.trim())) yield request(fill(), { headers: { [name]: value } });
      }
      if (!schema) continue;
      for (const value of VALUES) {
        yield request(fill(), { body: value });
        for (const field of fieldsOf(schema)) yield request(fill(), { body: withField(body, field, value) });
      }
    }
  }
}

function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()) || '%20';
}

/** A shuffle that is deterministic for a seed. */
function shuffled<T>(items: T[], seed: number): T[] {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

const WANTED = Number(process.env.HOSTILE_REQUESTS ?? 1_200);
const CONCURRENT_REQUESTS = 8;

describe('Hostile input', () => {
  it('no hostile value in any parameter or field of any API operation causes a 5xx', async () => {
    const { body: schedule } = await api.call('POST', '/v1/schedules', { body: scheduleBody() });
    const { body: triggered } = await api.call('POST', `/v1/schedules/${schedule.id}/trigger`);
    const known = { schedules: schedule.id, runs: triggered.runId, projects: 'no-such-project' };
    const all = [...hostileRequests(known)];
    // Requests without a body are few, but the values in their paths and queries reach Postgres most directly. So they
    // make up half of the chosen requests.
    const [simple, others] = [all.filter(({ body }) => !body), all.filter(({ body }) => body)];
    const bare = shuffled(simple, 1).slice(0, WANTED / 2);
    const requests = [...bare, ...shuffled(others, 1).slice(0, WANTED - bare.length)];
    expect(requests).toHaveLength(Math.min(WANTED, all.length));
    const failures: string[] = [];
    const statuses = new Map<number, number>();
    const rest = requests.values();
    const send = async () => {
      for (const { method, path, body, headers } of rest) {
        const answer = await api.call(method, path, { ...(headers && { headers }), body });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status >= 500)
          failures.push(
            `${answer.status} ${method} ${path} ${JSON.stringify(body)?.slice(0, 200)} ${JSON.stringify(headers)}`,
          );
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, send));
    expect(failures).toEqual([]);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(WANTED / 5);
    if (process.env.HOSTILE_REQUESTS)
      console.log(`${requests.length} of ${all.length}`, Object.fromEntries(statuses));
  }, 600_000);
});
