import fc, { type Arbitrary } from 'fast-check';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Document {
  components: { schemas: Record<string, Schema> };
}

const NASTY = [
  '',
  '\0',
  '\ud800',
  '__proto__',
  '💥',
  'a'.repeat(300),
  "'; drop table runs; --",
  '%00',
  '../..',
  '-1',
  '1e309',
  'NaN',
];

/** Any value, whatever the schema asks for. */
export const anyValue: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.jsonValue(),
  fc.integer(),
  fc.constant(Number.MAX_SAFE_INTEGER),
);

const INSTANTS = [
  '2026-11-16T09:00:00Z',
  '2027-03-28T02:30:00+01:00',
  '1970-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z',
];
const TEXTS = [
  '0 9 * * 1-5',
  'Europe/Berlin',
  'PT5M',
  '2026-12-24',
  'FREQ=DAILY;COUNT=3',
  '* * * * * *',
  '2026-11-16T09:00:00',
  'x',
  'webhook',
];

/** A value that matches a schema, or nearly: formats and patterns are picked from a few examples. */
export function valueFor(schema: Schema, document: Document, depth = 0): Arbitrary<unknown> {
  if (schema.$ref)
    return valueFor(
      document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema,
      document,
      depth,
    );
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const examples = schema.examples ? [fc.constantFrom(...schema.examples)] : [];
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches)
    return fc.oneof(...examples, ...branches.map((branch) => valueFor(branch, document, depth + 1)));
  const types = [schema.type ?? 'any'].flat();
  return fc.oneof(...examples, ...types.map((type) => valueOfType(type, schema, document, depth)));
}

function valueOfType(type: string, schema: Schema, document: Document, depth: number): Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return objectOf(schema, document, depth);
    case 'array':
      return fc.array(valueFor(schema.items ?? {}, document, depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, (schema.minItems ?? 0) + 4),
      });
    case 'string':
      return textFor(schema);
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? -1e9, -1e9),
        max: Math.min(schema.maximum ?? 1e9, 1e9),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue();
  }
}

function objectOf(schema: Schema, document: Document, depth: number): Arbitrary<unknown> {
  const fields = schema.properties ?? {};
  const required = schema.required ?? [];
  const optional = Object.keys(fields).filter((name) => !required.includes(name));
  // Choose few optional fields at a time, because a request with all of them would almost never be valid.
  const record = fc.subarray(optional, { maxLength: Math.min(3, optional.length) }).chain((chosen) => {
    const names = [...required, ...chosen];
    return fc.record(
      Object.fromEntries(names.map((name) => [name, valueFor(fields[name] ?? {}, document, depth + 1)])),
    );
  });
  if (typeof schema.additionalProperties !== 'object' || depth > 4) return record;
  return fc.dictionary(
    fc.string({ maxLength: 10 }),
    valueFor(schema.additionalProperties, document, depth + 1),
    { maxKeys: 3 },
  );
}

function textFor({ format, pattern, minLength = 0, maxLength = 200 }: Schema): Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom(...INSTANTS);
  if (format === 'duration') return fc.constantFrom('PT5M', 'PT0S', 'P1D', 'P1Y', 'PT0.001S', 'P999999999W');
  if (format === 'uri')
    return fc.constantFrom('https://example.com/x', 'http://127.0.0.1:1/', 'ftp://x', 'http://0x7f.1/');
  const free = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 30), unit: 'binary' });
  if (pattern && pattern.length < 120) return fc.oneof(fc.stringMatching(new RegExp(pattern)), free);
  return fc.oneof(free, fc.constantFrom(...TEXTS));
}
