import { SCHEDULE_DEFAULTS } from '@carillon/shared';
import { describeHeaders, type Operation, RESPONSE_HEADERS } from './describe-headers.js';
import { WEBHOOKS } from './describe-webhooks.js';

/**
 * Adds the parts of the document that no schema of a route describes: headers, webhooks, and the defaults of a
 * schedule.
 */
export function completeDocument<T extends object>(document: T): T {
  const { paths, components, ...others } = document as unknown as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, { properties?: Record<string, object> }> };
  };
  const operations = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, describeHeaders(path, operation)]),
    ),
  ]);
  return {
    ...others,
    paths: Object.fromEntries(operations),
    webhooks: WEBHOOKS,
    components: {
      ...components,
      headers: RESPONSE_HEADERS,
      schemas: withScheduleDefaults(components.schemas),
    },
  } as unknown as T;
}

/**
 * Adds the defaults to requests that create or replace a schedule. The schema of an edit has the same fields but no
 * defaults, because an edit keeps the fields that it leaves out.
 */
function withScheduleDefaults<T extends Record<string, { properties?: Record<string, object> }>>(
  schemas: T,
): T {
  const described = Object.entries(schemas).map(([name, schema]) => {
    if (!/^ScheduleRequest(Input)?$/.test(name)) return [name, schema];
    const properties = Object.entries(schema.properties ?? {}).map(([field, property]) => [
      field,
      field in SCHEDULE_DEFAULTS
        ? { ...property, default: SCHEDULE_DEFAULTS[field as keyof typeof SCHEDULE_DEFAULTS] }
        : property,
    ]);
    return [name, { ...schema, properties: Object.fromEntries(properties) }];
  });
  return Object.fromEntries(described);
}
