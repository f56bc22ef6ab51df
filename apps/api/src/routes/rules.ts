import { readSchedule } from '@carillon/db';
import {
  describeRule,
  dstRemark,
  localTime,
  momentOf,
  nextOccurrences,
  Occurrences,
  parseTiming,
  RulePreview,
  RulePreviewInput,
  ScheduleKey,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, encodeCursor } from '../cursor.js';
import { requireScope } from '../plugins/authenticate.js';
import { invalid, notFound } from '../problem.js';

const tags = ['Time'];

/** What a rule means: its next occurrences, in local time and in words. */
export const ruleRoutes =
  ({ pool, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('read'));

    app.post(
      '/rules/preview',
      {
        schema: {
          operationId: 'previewRule',
          summary: 'Try a rule; saves nothing',
          tags,
          body: RulePreviewInput,
          response: answers({ 200: RulePreview }, ...BODY),
        },
      },
      async ({ body }) => {
        const { from, limit, ...input } = body;
        const fromAt = from === undefined ? Math.floor(clock.now()) : Date.parse(from);
        const parsed = parseTiming(input as Parameters<typeof parseTiming>[0], { anchorAt: fromAt });
        if (!parsed.ok) throw invalid(parsed.problems);
        const { timing, warnings } = parsed;
        // An `at` is shown even when it is past, as it would still run.
        const at = timing.rule.kind === 'at' && timing.rule.at <= fromAt ? [timing.rule.at] : [];
        const occurrences = [...at, ...nextOccurrences(timing, fromAt, limit - at.length)].map(
          (occurrenceAt) => ({
            at: new Date(occurrenceAt).toISOString(),
            local: localTime(occurrenceAt, timing.timezone),
            remark: dstRemark(timing, occurrenceAt),
          }),
        );
        return { text: describeRule(timing), occurrences, warnings };
      },
    );

    app.get(
      '/schedules/:id/occurrences',
      {
        schema: {
          operationId: 'listOccurrences',
          summary: 'The next occurrences, in local time, with what changes of clocks do to them',
          tags,
          params: z.object({ id: ScheduleKey }),
          querystring: z.strictObject({
            limit: z.coerce.number().int().min(1).max(1_000).default(10),
            cursor: z.string().max(200).optional(),
          }),
          response: answers({ 200: Occurrences }, 400, 404),
        },
      },
      async ({ caller, params, query: { limit, cursor } }) => {
        const schedule = await readSchedule(pool, caller.projectId, params.id);
        if (!schedule) throw notFound('schedule', params.id);
        const { key, timing, plan, occurrenceAt, nextRunAt, runsTotal } = schedule;
        const text = describeRule(timing);
        const isGoingOn = schedule.status === 'active' || schedule.status === 'paused';
        if (!isGoingOn || !occurrenceAt || !nextRunAt) return { text, items: [], nextCursor: null };
        // The first is where the schedule stands, wherever a reschedule put it; the others are what the rule says.
        const position = cursor === undefined ? null : readPosition(cursor);
        const runsLeft =
          plan.maxRuns === null
            ? Number.POSITIVE_INFINITY
            : plan.maxRuns - runsTotal - (position?.shown ?? 0);
        const wanted = Math.min(limit + 1, runsLeft);
        const first = position ? [] : [{ occurrenceAt: occurrenceAt.getTime(), dueAt: nextRunAt.getTime() }];
        const afterAt =
          position?.at ?? Math.max(occurrenceAt.getTime(), isPutOff() ? nextRunAt.getTime() : 0);
        const rest = nextOccurrences(timing, afterAt, wanted - first.length).map((at) =>
          momentOf(key, plan, at),
        );
        const found = [...first, ...rest];
        const items = found.slice(0, limit);
        const last = items.at(-1);
        const more =
          found.length > limit && last
            ? encodeCursor(`${last.occurrenceAt}/${(position?.shown ?? 0) + limit}`)
            : null;
        return {
          text,
          items: items.map((moment) => ({
            at: new Date(moment.occurrenceAt).toISOString(),
            local: localTime(moment.occurrenceAt, timing.timezone),
            dueAt: new Date(moment.dueAt).toISOString(),
            remark: dstRemark(timing, moment.occurrenceAt),
          })),
          nextCursor: more,
        };

        /** What a reschedule put behind others overtakes them. */
        function isPutOff(): boolean {
          return (nextRunAt as Date).getTime() > (occurrenceAt as Date).getTime() + plan.jitterMs;
        }
      },
    );
  };

function readPosition(cursor: string): { at: number; shown: number } {
  const [at, shown] = decodeCursor(cursor).split('/').map(Number);
  if (at === undefined || shown === undefined || !Number.isSafeInteger(at) || !Number.isSafeInteger(shown)) {
    throw invalid([{ field: 'cursor', message: 'expected the nextCursor of a page' }]);
  }
  return { at, shown };
}
