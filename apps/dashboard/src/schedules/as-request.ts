import type { Schedule } from '@carillon/client';
import { DEFINITION_FIELDS } from './diff-definitions.js';

/** The definition as a client would send it, without nulls and without the fields that the API fills in. */
export function definitionOf(schedule: Schedule): Record<string, unknown> {
  const fields: [string, unknown][] = [['id', schedule.id]];
  for (const field of DEFINITION_FIELDS) {
    const value = schedule[field];
    if (value !== null && !(Array.isArray(value) && value.length === 0)) fields.push([field, value]);
  }
  return Object.fromEntries(fields);
}

export function asCurl(body: unknown): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl -X POST ${location.origin}/v1/schedules \\
  -H "Authorization: Bearer $CARILLON_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${json}'`;
}

export function asTypeScript(body: unknown): string {
  const literal = JSON.stringify(body, null, 2).replaceAll(/"([A-Za-z_]\w*)":/g, '$1:');
  return `import { Carillon } from '@carillon/client';

const carillon = new Carillon({ url: '${location.origin}', key: process.env.CARILLON_KEY });
await carillon.schedules.create(${literal});`;
}
