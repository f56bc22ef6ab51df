import {
  readCancellation,
  readDefinitions,
  readGapsBetween,
  readRunsBetween,
  readSchedule,
} from '@carillon/db';
import { InstantInput, LedgerEntry, listOf, ScheduleKey } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers } from '../answers.js';
import type { ApiContext } from '../context.js';
import { encodeCursor, idInCursor } from '../cursor.js';
import { composeLedger } from '../ledger/compose-ledger.js';
import { requireScope } from '../plugins/authenticate.js';
import { invalid, notFound } from '../problem.js';

const DAY_MS = 86_400_000;

/** Why each occurrence ran or did not. */
export const ledgerRoutes =
  ({ pool, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/schedules/:id/ledger',
      {
        schema: {
          operationId: 'readLedger',
          summary: 'Each occurrence that the rule named, and why it ran or did not',
          description:
            'Under the definition that held then. A stretch of occurrences that all went the same way is one entry. Without `from` and `to`: the last day and the next.',
          tags: ['Time'],
          params: z.object({ id: ScheduleKey }),
          querystring: z.strictObject({
            from: InstantInput.optional(),
            to: InstantInput.optional(),
            limit: z.coerce.number().int().min(1).max(1_000).default(100),
            cursor: z.string().max(200).optional(),
          }),
          response: answers({ 200: listOf(LedgerEntry) }, 400, 404),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, params, query }) => {
        const { projectId } = caller;
        const nowAt = Math.floor(clock.now());
        const givenFromAt = query.from === undefined ? nowAt - DAY_MS : Date.parse(query.from);
        const toAt = query.to === undefined ? Math.max(nowAt, givenFromAt) + DAY_MS : Date.parse(query.to);
        if (toAt < givenFromAt)
          throw invalid([{ field: 'to', message: 'is before from; expected it later' }]);
        const afterAt = idInCursor(query.cursor);
        const fromAt = afterAt === null ? givenFromAt : Math.max(givenFromAt, afterAt + 1);
        const schedule = await readSchedule(pool, projectId, params.id);
        if (!schedule) throw notFound('schedule', params.id);
        const range = { projectId, scheduleId: schedule.id, fromAt, toAt };
        // One more than a page: where there are more, the page ends at an instant of which all runs are here.
        const runs = await readRunsBetween(pool, { ...range, limit: query.limit + 1 });
        const lastRunAt = runs.length > query.limit ? (runs.at(-1)?.occurrenceAt.getTime() ?? toAt) : null;
        const untilAt = lastRunAt === null ? toAt : lastRunAt - 1;
        const [definitions, gaps, cancellation] = await Promise.all([
          readDefinitions(pool, range),
          readGapsBetween(pool, range),
          schedule.status === 'cancelled' ? readCancellation(pool, { projectId, key: params.id }) : null,
        ]);
        const complete = runs.filter((run) => run.occurrenceAt.getTime() <= untilAt);
        const sources = { schedule, definitions, runs: complete, gaps, cancellation, nowAt };
        const items: z.infer<typeof LedgerEntry>[] = [];
        let endedAt: number | null = lastRunAt === null ? null : untilAt;
        for (const entry of composeLedger(sources, { fromAt, toAt: untilAt })) {
          const last = items.at(-1);
          if (items.length >= query.limit && last && last.at !== entry.at) {
            endedAt = Date.parse(last.until ?? last.at);
            break;
          }
          items.push(entry);
        }
        return { items, nextCursor: endedAt === null ? null : encodeCursor(endedAt) };
      },
    );
  };
