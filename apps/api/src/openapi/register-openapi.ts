import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { tidyComponents } from './tidy-components.js';

const DESCRIPTION = `Carillon does things at the time that it was told: once, every hour, every birthday at nine in Tokyo.

Send your key as \`Authorization: Bearer <key>\`. Times are RFC 3339 in UTC with milliseconds, durations ISO 8601 (\`PT15M\`).
Errors are \`application/problem+json\` (RFC 9457) and name the field. Lists answer \`{ items, nextCursor }\`; give \`nextCursor\` as
\`cursor\` for the next page. Whatever makes or changes a schedule, a user, a reminder, a task or a template, and whatever acts on one
schedule or run, takes an \`Idempotency-Key\`: the same key and request again get the same answer.`;

const TAGS = [
  ['Schedules', 'A rule, its target and its policies.'],
  ['Actions', 'What can be done with one schedule.'],
  ['Bulk', 'Many schedules in one call.'],
  ['Time', 'What a rule means, what became of it, what is to come.'],
  ['Calendars', 'Named lists of dates on which nothing fires.'],
  ['Runs', 'What ran, when, and what came back.'],
  ['Events', 'What happens, as it happens.'],
  ['Users', 'People whose birthdays and other days come round every year.'],
  ['Reminders', 'A message for a person at a time.'],
  ['Tasks', 'What is due when; a day before, a reminder.'],
  ['Templates', 'Rules that have a name.'],
  ['Keys', 'API keys.'],
  ['Projects', 'Worlds of their own on one installation.'],
  ['Operations', 'The audit trail and the state of the engine.'],
  ['Health', 'For load balancers and Prometheus; without a key.'],
] as const;

/** Describes every route that is registered after this, from the same schemas that check its requests. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  const schemaRegistry = namedApart();
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
    // Bull Board brings routes of its own, with schemas that are not ours.
    transform: (route) =>
      route.schema?.operationId === undefined ? { schema: { hide: true }, url: route.url } : transform(route),
    transformObject: (document) => tidyComponents(transformObject(document)),
  });
}

/**
 * The schema of what is taken has the name of the schema with `Input` behind it, which is what ours call themselves as
 * well: those become requests, so that `Key` as it is taken and `KeyInput` do not claim one name.
 */
function namedApart(): typeof z.globalRegistry {
  const named = [...z.globalRegistry._idmap].map(
    ([id, schema]) => [id.replace(/Input$/, 'Request'), schema] as const,
  );
  return { _map: z.globalRegistry._map, _idmap: new Map(named) } as unknown as typeof z.globalRegistry;
}
