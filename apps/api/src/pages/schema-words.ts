/** As much of JSON Schema as our own document uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
}

/** A schema in a few words: "integer, 1 to 1000", "one of read, write, admin". */
export function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return [...new Set(branches.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'anything'}`;
  if (schema.properties) return `{ ${Object.keys(schema.properties).join(', ')} }`;
  const base = schema.format ?? [schema.type ?? 'any JSON'].flat().join(' or ');
  const { minimum, maximum } = schema;
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return isBounded ? `${base}, ${minimum ?? 0} to ${maximum}` : base;
}

/** An example of a value: the one that the schema gives, or the least that it asks for. */
export function exampleOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): unknown {
  const name = schema.$ref?.split('/').at(-1);
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (name !== undefined) return exampleOf(schemas[name] ?? {}, schemas);
  const branch = (schema.anyOf ?? schema.oneOf)?.[0];
  if (branch) return exampleOf(branch, schemas);
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.type !== 'object') return schema.type === 'array' ? [] : schema.type === 'string' ? '…' : 1;
  const required = Object.entries(schema.properties ?? {}).filter(([key]) => schema.required?.includes(key));
  return Object.fromEntries(required.map(([key, field]) => [key, exampleOf(field, schemas)]));
}
