import type { Document, Schema } from './schema-arbitrary.js';

/** Checks a value against a schema of the OpenAPI document. Returns the violations. */
export function matches(value: unknown, schema: Schema, document: Document, path = '$'): string[] {
  if (schema.$ref) {
    const named = document.components.schemas[schema.$ref.split('/').at(-1) as string];
    return named ? matches(value, named, document, path) : [`${path}: no such schema as ${schema.$ref}`];
  }
  if (schema.const !== undefined) return value === schema.const ? [] : [`${path}: is not ${schema.const}`];
  if (schema.enum)
    return schema.enum.includes(value) ? [] : [`${path}: ${String(value)} is none of ${schema.enum}`];
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) {
    const problemsByBranch = branches.map((branch) => matches(value, branch, document, path));
    return problemsByBranch.some((problems) => problems.length === 0)
      ? []
      : [`${path}: matches no branch`, ...(problemsByBranch[0] ?? [])];
  }
  const types = schema.type === undefined ? null : [schema.type].flat();
  if (types && !types.some((type) => isOfType(value, type))) return [`${path}: is not ${types.join(' or ')}`];
  if (typeof value === 'string' && schema.pattern && !new RegExp(schema.pattern, 'u').test(value)) {
    return [`${path}: ${value} does not match ${schema.pattern}`];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => matches(item, schema.items ?? {}, document, `${path}[${i}]`));
  }
  if (typeof value === 'object' && value !== null && schema.properties)
    return objectProblems(value, schema, document, path);
  return [];
}

function objectProblems(value: object, schema: Schema, document: Document, path: string): string[] {
  const missing = (schema.required ?? [])
    .filter((name) => !(name in value))
    .map((name) => `${path}.${name}: is missing`);
  const fields = Object.entries(value).flatMap(([name, child]) => {
    const field = schema.properties?.[name];
    if (field) return matches(child, field, document, `${path}.${name}`);
    return schema.additionalProperties === false ? [`${path}.${name}: is not described`] : [];
  });
  return [...missing, ...fields];
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
