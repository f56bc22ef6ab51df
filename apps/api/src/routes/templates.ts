import {
  createTemplate,
  deleteTemplate,
  findTemplate,
  type KeyOwner,
  listTemplates,
  replaceTemplate,
} from '@carillon/db';
import {
  BUILT_IN_TEMPLATES,
  builtInTemplate,
  Cursor,
  describeRule,
  Limit,
  listOf,
  parseTiming,
  type Template,
  TemplateAnswer,
  TemplateInput,
  TemplateKey,
  TemplatePatch,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, pageOf } from '../http/cursor.js';
import { HttpProblem, invalid, notFound } from '../http/problem.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';

const params = z.object({ id: TemplateKey });
const tags = ['Templates'];

/** Named rules: four built-in templates, and the templates of the project. */
export const templateRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const { pool, clock } = context;
    const askedBy = ({ projectId, keyName }: KeyOwner) => ({ projectId, actor: keyName });

    app.get(
      '/templates',
      {
        schema: {
          operationId: 'listTemplates',
          summary: 'List templates, built-in ones first',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: listOf(TemplateAnswer) }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query: { limit, cursor } }) => {
        const after = cursor === undefined ? null : decodeCursor(cursor);
        const passed = BUILT_IN_TEMPLATES.findIndex(({ id }) => id === after);
        const isPastBuiltIn = after !== null && passed === -1;
        const builtIn = isPastBuiltIn ? [] : BUILT_IN_TEMPLATES.slice(passed + 1);
        const page = {
          projectId: caller.projectId,
          limit: limit + 1,
          afterKey: isPastBuiltIn ? after : null,
        };
        const templates = [...builtIn, ...(await listTemplates(pool, page))];
        const { items, nextCursor } = pageOf(templates, limit, ({ id }) => id);
        return { items: items.map(present), nextCursor };
      },
    );

    app.post(
      '/templates',
      {
        schema: {
          operationId: 'createTemplate',
          summary: 'Create a template',
          tags,
          body: TemplateInput,
          response: responses({ 201: TemplateAnswer }, ...BODY_ERRORS, 409, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body } = request;
        const template = { ...body, description: body.description ?? '', timezone: body.timezone ?? null };
        validateRule(template, clock.now());
        return respondOnce(context, { request, reply }, async (db) => {
          const isTaken =
            builtInTemplate(template.id) || !(await createTemplate(db, askedBy(caller), template));
          if (isTaken)
            throw new HttpProblem('already_exists', `a template with the id ${template.id} exists already`);
          return { status: 201, headers: {}, body: present(template), dueAts: [] };
        });
      },
    );

    app.get(
      '/templates/:id',
      {
        schema: {
          operationId: 'readTemplate',
          summary: 'Read a template',
          tags,
          params,
          response: responses({ 200: TemplateAnswer }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params }) => {
        const template = await findTemplate(pool, caller.projectId, params.id);
        if (!template) throw notFound('template', params.id);
        return present(template);
      },
    );

    app.put(
      '/templates/:id',
      {
        schema: {
          operationId: 'editTemplate',
          summary: 'Edit a template; omitted fields keep their value',
          description:
            'Schedules that were created from the template keep their rule. Built-in templates cannot be changed.',
          tags,
          params,
          body: TemplatePatch,
          response: responses({ 200: TemplateAnswer }, ...BODY_ERRORS, 404, 409, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, body, params } = request;
        refuseBuiltIn(params.id);
        return respondOnce(context, { request, reply }, async (db) => {
          const held = await findTemplate(db, caller.projectId, params.id);
          if (!held) throw notFound('template', params.id);
          const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
          const template = { ...held, ...given };
          validateRule(template, clock.now());
          await replaceTemplate(db, askedBy(caller), template);
          return { status: 200, headers: {}, body: present(template), dueAts: [] };
        });
      },
    );

    app.delete(
      '/templates/:id',
      {
        schema: {
          operationId: 'deleteTemplate',
          summary: 'Delete a template',
          tags,
          params,
          response: responses({ 200: z.object({ id: TemplateKey }) }, 400, 404, 409, 422),
        },
        onRequest: requireScope('write'),
      },
      async (request, reply) => {
        const { caller, params } = request;
        refuseBuiltIn(params.id);
        return respondOnce(context, { request, reply }, async (db) => {
          if (!(await deleteTemplate(db, askedBy(caller), params.id))) throw notFound('template', params.id);
          return { status: 200, headers: {}, body: { id: params.id }, dueAts: [] };
        });
      },
    );
  };

function refuseBuiltIn(id: string): void {
  if (builtInTemplate(id))
    throw new HttpProblem('invalid_state', `the template ${id} is built in and cannot be changed`);
}

const timingOf = ({ rule, timezone }: Template, nowAt: number) =>
  parseTiming({ rule, timezone } as Parameters<typeof parseTiming>[0], { anchorAt: Math.floor(nowAt) });

function validateRule(template: Template, nowAt: number): void {
  const parsed = timingOf(template, nowAt);
  if (!parsed.ok) throw invalid(parsed.problems);
}

function present(template: Template): z.infer<typeof TemplateAnswer> {
  const parsed = timingOf(template, 0);
  const text = parsed.ok ? describeRule(parsed.timing) : '';
  const { id, description, rule, timezone } = template;
  return { id, description, rule, timezone, text, builtIn: builtInTemplate(id) !== undefined };
}
