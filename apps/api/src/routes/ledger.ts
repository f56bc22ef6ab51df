import { readHistoryStart, readSchedule } from '@carillon/db';
import { DAY_MS, InstantInput, LedgerEntry, listOf, ScheduleKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { encodeCursor, idInCursor } from '../http/cursor.js';
import { invalid } from '../http/problem.js';
import { responses } from '../http/responses.js';
import { readLedger, readLedgerBackwards } from '../ledger/read-ledger.js';
import { missingSchedule } from '../schedules/missing-schedule.js';

/** Explains why each occurrence ran or did not. */
export const ledgerRoutes =
  ({ pool, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/schedules/:id/ledger',
      {
        schema: {
          operationId: 'readLedger',
          summary: 'List occurrences, and why each ran or did not',
          description:
            'Uses the definition that was in effect at each time. Consecutive occurrences that were skipped for one reason are one entry. Each entry has a sentence (`why`) and the same as a list of steps (`story`). Default range: the last day and the next day; newest first, until now.',
          tags: ['Time'],
          params: z.object({ id: ScheduleKey }),
          querystring: z.strictObject({
            from: InstantInput.optional(),
            to: InstantInput.optional(),
            order: z
              .enum(['asc', 'desc'])
              .default('asc')
              .meta({ description: '`desc` lists the newest occurrence first.' }),
            limit: z.coerce.number().int().min(1).max(1_000).default(100),
            cursor: z.string().max(200).optional(),
          }),
          response: responses({ 200: listOf(LedgerEntry) }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params, query }) => {
        const { projectId } = caller;
        const { limit } = query;
        const isNewestFirst = query.order === 'desc';
        const nowAt = Math.floor(clock.now());
        const range = rangeOf(query, { nowAt, isNewestFirst });
        const position = idInCursor(query.cursor);
        const schedule = await readSchedule(pool, projectId, params.id);
        if (!schedule) throw await missingSchedule(pool, { projectId, key: params.id });
        // Retention has removed the runs before the start of the history. The occurrences of that time would look lost
        // without their runs, so the ledger leaves them out.
        const fromAt = Math.max(range.fromAt, await readHistoryStart(pool, projectId));
        const toAt = Math.max(range.toAt, fromAt - 1);
        const isEarliest = isNewestFirst || position === null;
        const request = { projectId, schedule, fromAt, toAt, isEarliest, limit, nowAt };
        const { items, endedAt } = isNewestFirst
          ? await readLedgerBackwards(pool, {
              ...request,
              toAt: position === null ? toAt : Math.min(toAt, position - 1),
            })
          : await readLedger(pool, {
              ...request,
              fromAt: position === null ? fromAt : Math.max(fromAt, position + 1),
            });
        return { items, nextCursor: endedAt === null ? null : encodeCursor(endedAt) };
      },
    );
  };

function rangeOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  { nowAt, isNewestFirst }: { nowAt: number; isNewestFirst: boolean },
): { fromAt: number; toAt: number } {
  const fromAt = from === undefined ? nowAt - DAY_MS : Date.parse(from);
  const aheadMs = isNewestFirst ? 0 : DAY_MS;
  const toAt = to === undefined ? Math.max(nowAt, fromAt) + aheadMs : Date.parse(to);
  if (toAt < fromAt) throw invalid([{ field: 'to', message: 'is before `from`; expected a later instant' }]);
  return { fromAt, toAt };
}
