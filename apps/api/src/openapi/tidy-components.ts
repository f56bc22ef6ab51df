import { isDeepStrictEqual } from 'node:util';

type Document = Record<string, unknown> & { components?: { schemas?: Record<string, unknown> } };

const REF = '#/components/schemas/';

/**
 * Tidies the schemas of the document. Each schema has an input variant (`RuleInput`) and an output variant (`Rule`).
 * Unreferenced schemas are removed, and the two variants are merged if they are equal or only one is used.
 */
export function tidyComponents<T>(given: T): T {
  let document = given as Document;
  for (const name of Object.keys(schemasOf(document))) {
    if (name.endsWith('Input') && canMergeVariants(document, name))
      document = renamed(document, name, name.slice(0, -'Input'.length));
  }
  const schemas = schemasOf(document);
  const used = reachable(document, schemas);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  kept.sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(kept) } } as T;
}

const schemasOf = (document: Document) => document.components?.schemas ?? {};

function canMergeVariants(document: Document, inputName: string): boolean {
  const name = inputName.slice(0, -'Input'.length);
  const schemas = schemasOf(document);
  if (!(name in schemas)) return false;
  return isDeepStrictEqual(schemas[name], schemas[inputName]) || !reachable(document, schemas).has(name);
}

/** The names of the schemas that the paths and webhooks reference, directly or through other schemas. */
function reachable(document: Document, schemas: Record<string, unknown>): Set<string> {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const ref = (value as { $ref?: unknown }).$ref;
    if (typeof ref === 'string' && ref.startsWith(REF) && !used.has(ref.slice(REF.length))) {
      used.add(ref.slice(REF.length));
      visit(schemas[ref.slice(REF.length)]);
    }
    for (const child of Object.values(value)) visit(child);
  };
  visit(document.paths);
  visit(document.webhooks);
  return used;
}

function renamed(document: Document, from: string, to: string): Document {
  const { [from]: schema, ...others } = schemasOf(document);
  const merged = {
    ...document,
    components: { ...document.components, schemas: { ...others, [to]: schema } },
  };
  return JSON.parse(JSON.stringify(merged), (key, value) =>
    key === '$ref' && value === REF + from ? REF + to : value,
  );
}
