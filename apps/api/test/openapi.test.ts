import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NOOP, useApi } from './use-api.js';

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
/** Every description in a part of the document. */
function* descriptionsIn(part: unknown): Generator<string> {
  if (part === null || typeof part !== 'object') return;
  for (const [name, value] of Object.entries(part)) {
    if (name === 'description' && typeof value === 'string') yield value;
    else yield* descriptionsIn(value);
  }
}

const api = useApi({ RATE_LIMIT_PER_MINUTE: '60000' });

/** The names of the headers that the document lists for a response. */
const headersOf = (path: string, method: string, status: number): string[] =>
  Object.keys(document.paths[path][method].responses[status].headers);

describe('OpenAPI document', () => {
  it('every description in the OpenAPI document names its subject first, so none begins with a question word or a default', () => {
    const all = [...descriptionsIn(document)];
    expect(all.length).toBeGreaterThan(500);
    const isHeadless = /^(What|Who|Where|When|Whether|Which|Why|How|Of|From|Default|Null)\b/;
    expect(all.filter((description) => isHeadless.test(description))).toEqual([]);
  });

  it('the OpenAPI document states the same defaults of a schedule that the API fills in', async () => {
    const { body } = await api.call('POST', '/v1/schedules', {
      body: { rule: { cron: '0 9 * * *' }, target: NOOP },
    });
    const { properties } = document.components.schemas.ScheduleRequest;
    const fields = Object.keys(properties).filter((field) => 'default' in properties[field]);
    expect(fields.length).toBeGreaterThan(15);
    for (const field of fields) expect([field, body[field]]).toEqual([field, properties[field].default]);
    const patch = document.components.schemas.SchedulePatch.properties;
    expect(Object.keys(patch).filter((field) => 'default' in patch[field])).toEqual([]);
  });

  it('every response header that the OpenAPI document describes is sent', async () => {
    const headers = { 'idempotency-key': 'described' };
    const body = { id: 'described', rule: { every: 'PT1H' }, target: NOOP };
    const answers = [
      ['/v1/schedules', 'post', await api.call('POST', '/v1/schedules', { body, headers })],
      ['/v1/schedules', 'post', await api.call('POST', '/v1/schedules', { body, headers })],
      ['/v1/schedules', 'get', await api.call('GET', '/v1/schedules')],
      ['/v1/schedules/{id}', 'get', await api.call('GET', '/v1/schedules/described')],
      ['/v1/schedules/{id}', 'put', await api.call('PUT', '/v1/schedules/described', { body })],
      ['/v1/schedules/{id}/pause', 'post', await api.call('POST', '/v1/schedules/described/pause')],
      ['/v1/schedules/{id}', 'delete', await api.call('DELETE', '/v1/schedules/described')],
      ['/v1/schedules/{id}', 'get', await api.call('GET', '/v1/schedules/nobody')],
    ] as const;
    for (const [i, [path, method, answer]] of answers.entries()) {
      // Only the repeat of a request has the header `Idempotency-Replayed`.
      const expected = headersOf(path, method, answer.status).filter(
        (name) => name !== 'Idempotency-Replayed' || i === 1,
      );
      const missing = expected.filter((name) => !answer.headers.has(name));
      expect([path, method, answer.status, missing]).toEqual([path, method, answer.status, []]);
    }
  });

  it('the OpenAPI document lists Idempotency-Key and If-Match where they are taken, marks bodies that may be omitted, and describes the webhooks', async () => {
    const named = (path: string, method: string) =>
      document.paths[path][method].parameters?.map(({ name }: { name: string }) => name) ?? [];
    expect(named('/v1/schedules', 'post')).toEqual(['Idempotency-Key']);
    expect(named('/v1/schedules/{id}', 'put')).toEqual([
      'id',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
    ]);
    expect(named('/v1/schedules/{id}', 'get')).toEqual(['id']);
    expect(named('/v1/users', 'post')).toEqual(['Idempotency-Key']);
    for (const action of ['pause', 'resume', 'trigger', 'skip-next'])
      expect(document.paths[`/v1/schedules/{id}/${action}`].post.requestBody.required).toBe(false);
    expect(document.paths['/v1/schedules/{id}/reschedule'].post.requestBody.required).toBe(true);
    expect(Object.keys(document.webhooks)).toEqual(['scheduleDue', 'runSucceeded', 'runFailed', 'alert']);
  });
});
