import { type Database, type FilledTemplate, fillTemplate, findTemplate, type KeyOwner } from '@carillon/db';
import type { ScheduleInput, ScheduleRequest, Template } from '@carillon/shared';
import type { z } from 'zod';
import { invalid } from '../http/problem.js';

/** Returns the request with a rule: its own, or the rule of the template that it names. */
export async function resolveTemplate(
  db: Database,
  { projectId }: KeyOwner,
  request: z.infer<typeof ScheduleRequest>,
): Promise<ScheduleInput> {
  const filled = await fillTemplate(request, (id) => findTemplate(db, projectId, id));
  if (!filled.ok) throw invalid([filled.problem]);
  const input = filled.value as ScheduleInput;
  if (!input.rule) throw invalid([{ field: 'rule', message: 'is missing; expected a rule or a template' }]);
  return input;
}

/**
 * Fills in the rules of the templates that many requests name. Each template is read once. The result for a request
 * holds its problem, if there is one.
 */
export async function resolveTemplates(
  db: Database,
  { projectId }: KeyOwner,
  requests: readonly unknown[],
): Promise<FilledTemplate[]> {
  const templatesById = new Map<string, Promise<Template | null>>();
  const find = (id: string) => {
    const known = templatesById.get(id) ?? findTemplate(db, projectId, id);
    templatesById.set(id, known);
    return known;
  };
  return Promise.all(requests.map((request) => fillTemplate(request, find)));
}
