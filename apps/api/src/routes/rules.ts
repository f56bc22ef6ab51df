import { readCalendars, readSchedule } from '@carillon/db';
import {
  Cursor,
  calendarsNamedBy,
  describeRule,
  dueOccurrenceOf,
  excludedOccurrences,
  Limit,
  localTime,
  nextOccurrences,
  Occurrences,
  occurrenceRemark,
  parseTiming,
  RuleLints,
  RulePreview,
  RulePreviewInput,
  ScheduleKey,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, encodeCursor, idInCursor, invalidCursor } from '../http/cursor.js';
import { invalid, notFound } from '../http/problem.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { iso } from '../present/iso.js';
import { lintRules } from '../schedules/lint-rules.js';

const tags = ['Time'];

/** Previews rules, and lists the next occurrences of schedules. */
export const ruleRoutes =
  ({ pool, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('read'));

    app.post(
      '/rules/preview',
      {
        config: { mayWrite: false },
        schema: {
          operationId: 'previewRule',
          summary: 'Preview a rule without saving it',
          tags,
          body: RulePreviewInput,
          response: responses({ 200: RulePreview }, ...BODY_ERRORS),
        },
      },
      async ({ caller, body }) => {
        const { from, limit, ...input } = body;
        const calendars = await readCalendars(pool, caller.projectId, calendarsNamedBy([body]));
        const fromAt = from === undefined ? Math.floor(clock.now()) : Date.parse(from);
        const parsed = parseTiming(input as Parameters<typeof parseTiming>[0], {
          anchorAt: fromAt,
          calendars,
        });
        if (!parsed.ok) throw invalid(parsed.problems);
        const { timing, warnings } = parsed;
        // A one-shot in the past is listed too, because it would still run.
        const at = timing.rule.kind === 'at' && timing.rule.at <= fromAt ? [timing.rule.at] : [];
        const occurrences = [...at, ...nextOccurrences(timing, fromAt, limit - at.length)].map(
          (occurrenceAt) => ({
            at: iso(occurrenceAt),
            local: localTime(occurrenceAt, timing.timezone),
            remark: occurrenceRemark(timing, occurrenceAt),
          }),
        );
        const excluded = excludedOccurrences(timing, {
          afterAt: fromAt,
          untilAt: Date.parse(occurrences.at(-1)?.at ?? iso(fromAt)),
          limit,
        }).map((excludedAt) => ({ at: iso(excludedAt), local: localTime(excludedAt, timing.timezone) }));
        return { text: describeRule(timing), occurrences, excluded, warnings };
      },
    );

    app.get(
      '/rules/lint',
      {
        schema: {
          operationId: 'lintRules',
          summary: 'List schedules that a clock change (DST) affects in the next year',
          description:
            'Names each occurrence in a gap or an overlap, and what happens to it. A page may hold fewer items than `limit`, or none, and still have a `nextCursor`, because each request checks a bounded number of schedules.',
          tags,
          querystring: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
          response: responses({ 200: RuleLints }, 400),
        },
      },
      async ({ caller: { projectId }, query: { limit, cursor } }) => {
        const page = { projectId, nowAt: Math.floor(clock.now()), limit, beforeId: idInCursor(cursor) };
        const { schedules, lookedAt, lastId } = await lintRules(pool, page);
        return {
          items: schedules.map(({ key, name, timezone, text, changes }) => ({
            schedule: key,
            name,
            timezone,
            text,
            changes: changes.map((change) => ({ ...change, at: iso(change.at) })),
          })),
          lookedAt,
          nextCursor: lastId === null ? null : encodeCursor(lastId),
        };
      },
    );

    app.get(
      '/schedules/:id/occurrences',
      {
        schema: {
          operationId: 'listOccurrences',
          summary: 'List the next occurrences in local time, with remarks about DST changes',
          tags,
          params: z.object({ id: ScheduleKey }),
          querystring: z.strictObject({
            limit: z.coerce.number().int().min(1).max(1_000).default(10),
            cursor: z.string().max(200).optional(),
          }),
          response: responses({ 200: Occurrences }, 400, 404),
        },
      },
      async ({ caller, params, query: { limit, cursor } }) => {
        const schedule = await readSchedule(pool, caller.projectId, params.id);
        if (!schedule) throw notFound('schedule', params.id);
        const { key, timing, plan, occurrenceAt, nextRunAt, runsTotal } = schedule;
        const text = describeRule(timing);
        const canFire = schedule.status === 'active' || schedule.status === 'paused';
        if (!canFire || occurrenceAt === null || nextRunAt === null)
          return { text, items: [], nextCursor: null };
        // The first occurrence comes from the schedule, because it may have been rescheduled. The rule yields the
        // others.
        const position = cursor === undefined ? null : readPosition(cursor);
        const runsLeft =
          plan.maxRuns === null
            ? Number.POSITIVE_INFINITY
            : plan.maxRuns - runsTotal - (position?.shown ?? 0);
        const wanted = Math.min(limit + 1, runsLeft);
        const first = position ? [] : [{ occurrenceAt, dueAt: nextRunAt }];
        // If the next occurrence was rescheduled to a later time, the occurrences in between do not run.
        const isRescheduledLater = nextRunAt > occurrenceAt + plan.jitterMs;
        const afterAt = position?.at ?? (isRescheduledLater ? nextRunAt : occurrenceAt);
        const rest = nextOccurrences(timing, afterAt, wanted - first.length).map((at) =>
          dueOccurrenceOf(key, plan, at),
        );
        const occurrences = [...first, ...rest];
        const items = occurrences.slice(0, limit);
        const last = items.at(-1);
        const more =
          occurrences.length > limit && last
            ? encodeCursor(`${last.occurrenceAt}/${(position?.shown ?? 0) + limit}`)
            : null;
        return {
          text,
          items: items.map((moment) => ({
            at: iso(moment.occurrenceAt),
            local: localTime(moment.occurrenceAt, timing.timezone),
            dueAt: iso(moment.dueAt),
            remark: occurrenceRemark(timing, moment.occurrenceAt),
          })),
          nextCursor: more,
        };
      },
    );
  };

function readPosition(cursor: string): { at: number; shown: number } {
  const [at, shown] = decodeCursor(cursor).split('/').map(Number);
  if (at === undefined || shown === undefined || !Number.isSafeInteger(at) || !Number.isSafeInteger(shown)) {
    throw invalidCursor();
  }
  return { at, shown };
}
