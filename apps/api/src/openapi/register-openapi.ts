import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { completeDocument } from './complete-document.js';
import { tidyComponents } from './tidy-components.js';

const DESCRIPTION = `Carillon is a durable scheduling service. It delivers at the scheduled time: once, every hour, or every birthday at 09:00 in Tokyo.

Send your key as \`Authorization: Bearer <key>\`. Times are RFC 3339 in UTC with milliseconds, durations ISO 8601 (\`PT15M\`).
Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`; \`/problems\` lists them. Lists return \`{ items, nextCursor }\`; send
\`nextCursor\` as \`cursor\` to get the next page. Requests that create or change a schedule, user, reminder, task or template, and
actions on one schedule or run, accept an \`Idempotency-Key\`: a repeat of the request with the same key gets the same response.`;

const TAGS = [
  ['Schedules', 'A rule, its target and its policies.'],
  ['Actions', 'Actions on one schedule.'],
  ['Bulk', 'Many schedules in one call.'],
  ['Time', 'Previews of rules, the ledger of past occurrences, and forecasts.'],
  ['Calendars', 'Named lists of dates and weekdays on which nothing fires.'],
  ['Feeds', 'iCal feeds for calendar programs.'],
  ['Runs', 'The history of runs and their attempts.'],
  ['Events', 'A live stream of events.'],
  ['Users', 'People with birthdays and other yearly events.'],
  ['Reminders', 'Messages for a person at a given time.'],
  ['Tasks', 'Tasks with a due date, each with a reminder one day before.'],
  ['Templates', 'Named rules.'],
  ['Keys', 'API keys.'],
  ['Sessions', 'Browser sessions, and the owner of the key.'],
  ['Projects', 'Tenants. Each project has its own schedules, keys, limits and audit log.'],
  ['Operations', 'The audit log and the state of the engine.'],
  ['Webhooks', 'Requests that Carillon sends: deliveries and receipts.'],
  ['Health', 'For load balancers and Prometheus. No key is needed.'],
] as const;

/** Generates the OpenAPI document from the schemas of every route that is registered after this call. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  const schemaRegistry = requestRegistry();
  const transform = createJsonSchemaTransform({ schemaRegistry });
  const transformObject = createJsonSchemaTransformObject({ schemaRegistry });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Carillon',
        version: '1',
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      tags: TAGS.map(([name, description]) => ({ name, description })),
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
    // Hides the routes of Bull Board, whose schemas do not belong to this API.
    transform: (route) =>
      route.schema?.operationId === undefined ? { schema: { hide: true }, url: route.url } : transform(route),
    transformObject: (document) => tidyComponents(completeDocument(transformObject(document))),
  });
}

/**
 * Renames our request schemas from `<id>Input` to `<id>Request`. The type provider gives the input variant of a schema
 * the name `<id>Input`, so the input variant of `Key` would collide with our own `KeyInput`.
 */
function requestRegistry(): typeof z.globalRegistry {
  const named = [...z.globalRegistry._idmap].map(
    ([id, schema]) => [id.replace(/Input$/, 'Request'), schema] as const,
  );
  return { _map: z.globalRegistry._map, _idmap: new Map(named) } as unknown as typeof z.globalRegistry;
}
