import { builtInTemplate, type Problem, type Template } from '@carillon/shared';
import { type Database, inTransaction } from '../database.js';
import { recordAudit } from '../lifecycle/change-schedule.js';

const COLUMNS = 'key as id, description, rule, timezone';

interface Asked {
  projectId: number;
  actor: string;
}

/** A built-in one, or one of the project's own. */
export async function findTemplate(db: Database, projectId: number, id: string): Promise<Template | null> {
  const builtIn = builtInTemplate(id);
  if (builtIn) return builtIn;
  const { rows } = await db.query<Template>(
    `select ${COLUMNS} from templates where project_id = $1 and key = $2`,
    [projectId, id],
  );
  return rows[0] ?? null;
}

/** The project's own, by their id. */
export async function listTemplates(
  db: Database,
  { projectId, limit, afterKey }: { projectId: number; limit: number; afterKey: string | null },
): Promise<Template[]> {
  const { rows } = await db.query<Template>(
    `select ${COLUMNS} from templates where project_id = $1 and ($2::text is null or key > $2) order by key limit $3`,
    [projectId, afterKey, limit],
  );
  return rows;
}

/** Answers whether the id was free. */
export async function createTemplate(db: Database, asked: Asked, template: Template): Promise<boolean> {
  const { id, description, rule, timezone } = template;
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `insert into templates (project_id, key, description, rule, timezone) values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [asked.projectId, id, description, JSON.stringify(rule), timezone],
    );
    if (rowCount === 1) await recordAudit(tx, { ...asked, key: id, action: 'template.created' });
    return rowCount === 1;
  });
}

/** Puts another rule under the name. Schedules that were made from it keep the one that they have. */
export async function replaceTemplate(db: Database, asked: Asked, template: Template): Promise<boolean> {
  const { id, description, rule, timezone } = template;
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `update templates set description = $3, rule = $4, timezone = $5 where project_id = $1 and key = $2`,
      [asked.projectId, id, description, JSON.stringify(rule), timezone],
    );
    if (rowCount === 1) await recordAudit(tx, { ...asked, key: id, action: 'template.edited' });
    return rowCount === 1;
  });
}

export async function deleteTemplate(db: Database, asked: Asked, id: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(`delete from templates where project_id = $1 and key = $2`, [
      asked.projectId,
      id,
    ]);
    if (rowCount === 1) await recordAudit(tx, { ...asked, key: id, action: 'template.deleted' });
    return rowCount === 1;
  });
}

export type Filled = { ok: true; value: unknown } | { ok: false; problem: Problem };

/** Puts the rule of a template in the place of its name. A request that names no template is left as it is. */
export async function fillTemplate(
  request: unknown,
  find: (id: string) => Promise<Template | null>,
): Promise<Filled> {
  if (typeof request !== 'object' || request === null || !('template' in request)) {
    return { ok: true, value: request };
  }
  const { template: id, ...rest } = request as { template: unknown; rule?: unknown; timezone?: unknown };
  const refuse = (message: string): Filled => ({ ok: false, problem: { field: 'template', message } });
  if (rest.rule !== undefined) return refuse('expected either a rule or a template, not both');
  const template = typeof id === 'string' ? await find(id) : null;
  if (!template) return refuse(`there is no template with the id ${String(id).slice(0, 64)}`);
  const { rule, timezone } = template;
  return { ok: true, value: { ...(timezone === null ? {} : { timezone }), ...rest, rule } };
}
