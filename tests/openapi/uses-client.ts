import createClient from 'openapi-fetch';
import type { components, paths, webhooks } from './generated.js';

/* A program as a user would write it, with types that were generated from the OpenAPI document. The test compiles it.
   Each line proves that the document describes a header, a default, an optional body or a webhook. */

type Schemas = components['schemas'];
type Delivery = webhooks['scheduleDue']['post'];

/** Creates, replaces, pauses, lists and removes a schedule; returns the answers of the API. */
export async function useSchedule(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
  const path = { id: 'generated' };

  const created = await client.POST('/v1/schedules', {
    params: { header: { 'Idempotency-Key': 'generated-1' } },
    body: { ...path, rule: { every: 'PT1H' }, target: { type: 'handler', name: 'noop' } },
  });
  const etag: string | null = created.response.headers.get('etag' satisfies Lowercase<'ETag'>);

  const replaced = await client.PUT('/v1/schedules/{id}', {
    params: { path, header: { 'If-Match': etag ?? '*' } },
    body: {
      rule: { every: 'PT2H' },
      target: { type: 'webhook', url: 'https://example.com/hook', method: 'PUT', body: 'payload' },
    },
  });
  const refused = await client.PUT('/v1/schedules/{id}', {
    params: { path, header: { 'If-None-Match': '*' } },
    body: { rule: { every: 'PT3H' }, target: { type: 'queue', queue: 'due' } },
  });
  const code: Schemas['Problem']['code'] | undefined = refused.error?.code;

  // The body of a pause and of a resume may be omitted.
  const paused = await client.POST('/v1/schedules/{id}/pause', { params: { path } });
  await client.POST('/v1/schedules/{id}/resume', { params: { path, header: { 'If-Match': '*' } } });
  const acted = await client.POST('/v1/schedules/actions', {
    body: { action: 'pause', filter: { q: 'generated' } },
  });
  const listed = await client.GET('/v1/schedules', { params: { query: { q: 'generated' } } });
  const first: Schemas['ListedSchedule'] | undefined = listed.data?.items[0];

  const purged = await client.DELETE('/v1/schedules/{id}', { params: { path, query: { purge: 'true' } } });
  return {
    created: created.data?.version,
    replaced: replaced.data?.version,
    code,
    paused: paused.data?.status,
    changed: acted.data?.changed,
    listed: first?.id,
    purged: purged.data?.purged,
  };
}

/**
 * Uses the generated types of the requests that a receiver gets: a delivery, a receipt and an alert. It only has to
 * compile.
 */
export function receive(
  body: Delivery['requestBody']['content']['application/json'],
  headers: Delivery['parameters']['header'],
  receipt: webhooks['runFailed']['post']['requestBody']['content']['application/json'],
  alert: webhooks['alert']['post']['requestBody']['content']['application/json'],
): string[] {
  const type: 'schedule.due' = body.type;
  return [
    type,
    body.runId,
    headers['webhook-id'],
    headers['webhook-signature'] ?? '',
    receipt.error ?? '',
    ...alert.opened.map(({ link }) => link),
  ];
}

/** The types of response headers. */
export type Described = [
  paths['/v1/schedules']['post']['responses'][201]['headers']['Location'],
  paths['/v1/schedules/{id}']['get']['responses'][200]['headers']['ETag'],
  paths['/v1/schedules']['get']['responses'][429]['headers']['Retry-After'],
  paths['/v1/schedules']['get']['responses'][200]['headers']['RateLimit-Remaining'],
];
