import { builtInTemplate, type Problem, type Template } from '@carillon/shared';
import { and, asc, eq, gt } from 'drizzle-orm';
import { type Database, inTransaction } from '../database.js';
import { templates } from '../schema/systems.js';
import { recordAudit } from '../tenancy/audit.js';
import { orm } from '../tenancy/orm.js';

const VIEW = {
  id: templates.key,
  description: templates.description,
  rule: templates.rule,
  timezone: templates.timezone,
};

interface Requester {
  projectId: number;
  actor: string;
}

const isTemplate = (projectId: number, id: string) =>
  and(eq(templates.projectId, projectId), eq(templates.key, id));

/** Finds a built-in template, or one of the project. */
export async function findTemplate(db: Database, projectId: number, id: string): Promise<Template | null> {
  const builtIn = builtInTemplate(id);
  if (builtIn) return builtIn;
  const [template] = await orm(db).select(VIEW).from(templates).where(isTemplate(projectId, id));
  return (template as Template | undefined) ?? null;
}

/** Lists the project's own templates, ordered by id. */
export async function listTemplates(
  db: Database,
  { projectId, limit, afterKey }: { projectId: number; limit: number; afterKey: string | null },
): Promise<Template[]> {
  const isAfter = afterKey === null ? undefined : gt(templates.key, afterKey);
  const rows = await orm(db)
    .select(VIEW)
    .from(templates)
    .where(and(eq(templates.projectId, projectId), isAfter))
    .orderBy(asc(templates.key))
    .limit(limit);
  return rows as Template[];
}

/** Creates a template. False if the id is taken. */
export function createTemplate(db: Database, requester: Requester, template: Template): Promise<boolean> {
  const { id: key, description, rule, timezone } = template;
  const { projectId } = requester;
  return inTransaction(db, async (tx) => {
    const created = await orm(tx)
      .insert(templates)
      .values({ projectId, key, description, rule, timezone })
      .onConflictDoNothing()
      .returning({ key: templates.key });
    if (created.length === 0) return false;
    await recordAudit(tx, { ...requester, key, action: 'template.created' });
    return true;
  });
}

/** Replaces a template. Schedules that were made from it keep their rule. False if there is no such template. */
export function replaceTemplate(db: Database, requester: Requester, template: Template): Promise<boolean> {
  const { id: key, description, rule, timezone } = template;
  return inTransaction(db, async (tx) => {
    const replaced = await orm(tx)
      .update(templates)
      .set({ description, rule, timezone })
      .where(isTemplate(requester.projectId, key))
      .returning({ key: templates.key });
    if (replaced.length === 0) return false;
    await recordAudit(tx, { ...requester, key, action: 'template.edited' });
    return true;
  });
}

/** Deletes a template. False if there is no such template. */
export function deleteTemplate(db: Database, requester: Requester, id: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const deleted = await orm(tx)
      .delete(templates)
      .where(isTemplate(requester.projectId, id))
      .returning({ key: templates.key });
    if (deleted.length === 0) return false;
    await recordAudit(tx, { ...requester, key: id, action: 'template.deleted' });
    return true;
  });
}

export type FilledTemplate = { ok: true; value: unknown } | { ok: false; problem: Problem };

/** Replaces the template's id in a request by the template's rule. A request without a template stays as it is. */
export async function fillTemplate(
  request: unknown,
  find: (id: string) => Promise<Template | null>,
): Promise<FilledTemplate> {
  if (typeof request !== 'object' || request === null || !('template' in request)) {
    return { ok: true, value: request };
  }
  const { template: id, ...rest } = request as { template: unknown; rule?: unknown; timezone?: unknown };
  const refuse = (message: string): FilledTemplate => ({
    ok: false,
    problem: { field: 'template', message },
  });
  if (rest.rule !== undefined) return refuse('expected either a rule or a template, not both');
  const template = typeof id === 'string' ? await find(id) : null;
  if (!template) return refuse(`there is no template with the id ${String(id).slice(0, 64)}`);
  const { rule, timezone } = template;
  return { ok: true, value: { ...(timezone === null ? {} : { timezone }), ...rest, rule } };
}
