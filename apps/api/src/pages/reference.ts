import { escaped, layout } from './layout.js';
import { exampleOf, type JsonSchema, typeOf } from './schema-words.js';

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: JsonSchema }> }>;
}

export interface OpenApiDocument {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
}

const STYLE = `
.page { display: grid; grid-template-columns: 270px minmax(0, 1fr); max-width: 1240px; margin: 0 auto }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 24px 16px; border-right: 1px solid var(--line); font-size: 13px }
nav a { display: block; padding: 2px 0; color: var(--ink) } nav b { display: block; margin: 14px 0 2px }
main { padding: 28px 36px 80px } article { padding-bottom: 10px }
.method { font: 600 12px ui-monospace, monospace; display: inline-block; min-width: 48px; text-transform: uppercase }
.get { color: var(--get) } .post { color: var(--post) } .patch { color: var(--patch) } .put { color: var(--put) } .delete { color: var(--delete) }
@media (max-width: 760px) { .page { display: block } nav { position: static; height: auto; border: 0 } }
`;

/** The reference for people: one page, made from the document that programs read. */
export function renderReference(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }));
  const menu = sections.map(
    ({ name, operations }) =>
      `<b>${escaped(name)}</b>${operations.map(({ operation }) => `<a href="#${operation.operationId}">${escaped(operation.summary ?? operation.operationId)}</a>`).join('')}`,
  );
  const body = sections.map(
    ({ name, description, operations }) =>
      `<h2>${escaped(name)}</h2><p class="soft">${escaped(description)}</p>${operations.map((each) => article(each, document)).join('')}`,
  );
  return layout({
    title: `${document.info.title} API`,
    style: STYLE,
    body: `<div class="page"><nav><a href="#top"><b>${escaped(document.info.title)} API</b></a>${menu.join('')}<b>For programs</b><a href="/openapi.json">openapi.json</a></nav>
<main id="top"><h1>${escaped(document.info.title)} API</h1>${prose(document.info.description)}${body.join('')}${types(document)}</main></div>`,
  });
}

function types({ components: { schemas } }: OpenApiDocument): string {
  const shown = Object.entries(schemas).map(
    ([name, schema]) =>
      `<article id="type-${escaped(name)}"><h3>${escaped(name)}</h3>${schema.description ? prose(schema.description) : ''}${
        schema.properties ? fields(schema, schemas) : `<p>${words(schema)}</p>`
      }</article>`,
  );
  return `<h2>Types</h2><p class="soft">What requests and answers are made of. * is required.</p>${shown.join('')}`;
}

/** A type in a few words; what has a name leads to where it is described. */
function words(schema: JsonSchema): string {
  const text = escaped(typeOf(schema));
  return text.replace(/\b[A-Z][A-Za-z]+\b/g, (name) => `<a href="#type-${name}">${name}</a>`);
}

interface Described {
  path: string;
  method: string;
  operation: Operation;
}

function article({ path, method, operation }: Described, document: OpenApiDocument): string {
  const schemas = document.components.schemas;
  const bodySchema = operation.requestBody?.content['application/json']?.schema;
  const answers = Object.entries(operation.responses).map(
    ([status, { description, content }]) =>
      `<tr><td><code>${status}</code></td><td>${answerWords(status, description, content)}</td></tr>`,
  );
  return `<article id="${operation.operationId}"><h3>${escaped(operation.summary ?? operation.operationId)}</h3>
<p><span class="method ${method}">${method}</span> <code>${escaped(path)}</code></p>
${operation.description ? prose(operation.description) : ''}${parameters(operation)}
${bodySchema ? `<h4>Body</h4>${fields(bodySchema, schemas)}` : ''}
<h4>Example</h4><pre>${escaped(curl({ path, method, operation }, schemas))}</pre>
<h4>Answers</h4><table>${answers.join('')}</table></article>`;
}

function parameters({ parameters = [] }: Operation): string {
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td class="soft">${place}${required ? ', required' : ''}</td><td>${words(schema)} <span class="soft">${escaped(description ?? schema.description ?? '')}</span></td></tr>`,
  );
  return rows.length === 0 ? '' : `<h4>Parameters</h4><table>${rows.join('')}</table>`;
}

function fields(schema: JsonSchema, schemas: Record<string, JsonSchema>): string {
  const resolved = resolve(schema, schemas);
  const required = new Set(resolved.required ?? []);
  const rows = Object.entries(resolved.properties ?? {}).map(
    ([name, field]) =>
      `<tr><td><code>${escaped(name)}</code>${required.has(name) ? ' *' : ''}</td><td>${words(field)} <span class="soft">${escaped(field.description ?? '')}</span></td></tr>`,
  );
  return rows.length === 0 ? '<p class="soft">None is needed.</p>' : `<table>${rows.join('')}</table>`;
}

function resolve(schema: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return resolve(schemas[name] ?? {}, schemas);
  const branch = schema.anyOf?.find((each) => each.$ref !== undefined || each.properties !== undefined);
  return branch ? resolve(branch, schemas) : schema;
}

function curl({ path, method, operation }: Described, schemas: Record<string, JsonSchema>): string {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const example = schema && exampleOf(schema, schemas);
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}http://127.0.0.1:3000${path.replace('{id}', operation.tags?.includes('Runs') ? 'run_r2s_mi1k8qo0' : 'invoice-42')}`,
    ...(path.startsWith('/v1') ? ['-H "Authorization: Bearer $CARILLON_KEY"'] : []),
    ...(example === undefined
      ? []
      : ["-H 'content-type: application/json'", `-d '${JSON.stringify(example)}'`]),
  ];
  return lines.join(' \\\n  ');
}

function answerWords(
  status: string,
  description: string | undefined,
  content: Operation['responses'][string]['content'],
): string {
  if (description && description !== 'Default Response') return escaped(description);
  const schema = Object.values(content ?? {})[0]?.schema;
  return schema ? words(schema) : status;
}

const prose = (text: string) =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${escaped(paragraph).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
    .join('');
