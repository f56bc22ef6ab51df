import { type AuditPosition, auditOccurrences, type FoundDifference, readHistoryStart } from '@carillon/db';
import {
  DAY_MS,
  InstantInput,
  OccurrenceAudit,
  type OccurrenceDifference,
  ScheduleKey,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, encodeCursor, invalidCursor } from '../http/cursor.js';
import { invalid } from '../http/problem.js';
import { responses } from '../http/responses.js';
import { iso } from '../present/iso.js';

const MAX_WINDOW_MS = 31 * DAY_MS;
/** Compares the occurrences that the rules of schedules yield with the runs and gaps that exist. */
export const occurrenceAuditRoutes =
  ({ pool, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/audit/occurrences',
      {
        schema: {
          operationId: 'auditOccurrences',
          summary: 'Compare the occurrences that rules named with the runs that exist',
          description:
            'Every occurrence that a rule named in the window must have a run or lie in a gap. The answer lists the differences: occurrences without either (`missing`), occurrences that no worker has claimed for a minute (`overdue`), and runs that no rule named (`unnamed`). A page compares up to `limit` schedules and 20,000 occurrences; follow `nextCursor` to compare all. Default window: the last 24 hours. It begins no earlier than the history that is kept.',
          tags: ['Operations'],
          querystring: z.strictObject({
            from: InstantInput.optional(),
            to: InstantInput.optional(),
            schedule: ScheduleKey.optional(),
            limit: z.coerce.number().int().min(1).max(1_000).default(1_000),
            cursor: z.string().max(200).optional(),
          }),
          response: responses({ 200: OccurrenceAudit }, 400),
        },
        onRequest: requireScope('admin'),
      },
      async ({ caller: { projectId }, query }) => {
        const { fromAt, toAt } = await windowOf(query, projectId);
        const { schedules, occurrences, differences, next } = await auditOccurrences(pool, {
          projectId,
          scheduleKey: query.schedule ?? null,
          limit: query.limit,
          fromAt,
          toAt,
          position: query.cursor === undefined ? null : readPosition(query.cursor),
        });
        return {
          from: iso(fromAt),
          to: iso(toAt),
          schedules,
          occurrences,
          items: differences.map(present),
          nextCursor: next && encodeCursor(`${next.scheduleId}/${next.afterAt ?? ''}`),
        };
      },
    );

    async function windowOf(
      { from, to }: { from?: string | undefined; to?: string | undefined },
      projectId: number,
    ) {
      const nowAt = Math.floor(clock.now());
      const toAt = Math.min(nowAt, to === undefined ? nowAt : Date.parse(to));
      const givenAt = from === undefined ? toAt - DAY_MS : Date.parse(from);
      if (toAt < givenAt)
        throw invalid([{ field: 'to', message: 'is before `from`; expected a later instant' }]);
      if (toAt - givenAt > MAX_WINDOW_MS)
        throw invalid([
          { field: 'from', message: 'is more than 31 days before `to`; expected a later instant' },
        ]);
      return { fromAt: Math.max(givenAt, await readHistoryStart(pool, projectId)), toAt };
    }
  };

const MESSAGES: Record<OccurrenceDifference['kind'], string> = {
  missing: 'named by the rule, and there is neither a run nor a gap: it was lost',
  overdue: 'due for more than a minute, and no worker has claimed it',
  unnamed: 'there is a run, and no definition of the schedule named it',
};

const present = ({ scheduleKey, kind, fromAt, toAt, count, version }: FoundDifference) => ({
  scheduleId: scheduleKey,
  kind,
  from: iso(fromAt),
  to: iso(toAt),
  count,
  version,
  message: MESSAGES[kind],
});

function readPosition(cursor: string): AuditPosition {
  const [, scheduleId, afterAt] = /^(\d{1,15})\/(\d{0,15})$/.exec(decodeCursor(cursor)) ?? [];
  if (scheduleId === undefined) throw invalidCursor();
  return { scheduleId: Number(scheduleId), afterAt: afterAt ? Number(afterAt) : null };
}
