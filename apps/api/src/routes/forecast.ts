import {
  type ForecastGroup,
  laterFiresIn,
  minuteOf,
  readDueWithin,
  readSchedulesOfGroups,
} from '@carillon/db';
import { Forecast, ForecastMinute, HOUR_MS, MINUTE_MS, MomentInput } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { invalid } from '../http/problem.js';
import { responses } from '../http/responses.js';
import { iso } from '../present/iso.js';

const MAX_HOURS = 168;
/** Maximum number of schedules that the forecast of one minute names. */
const MAX_SCHEDULES_NAMED = 100;
/**
 * Maximum CPU time that one request spends on the groups of a project. A group holds the recurring schedules with the
 * same rule and next occurrence.
 */
const MAX_SEARCH_MS = 100;
/** Number of groups that are evaluated in one turn of the event loop. Other requests run between two turns. */
const GROUPS_PER_TURN = 100;

/** Forecasts the number of fires per minute. */
export const forecastRoutes =
  ({ pool, clock, forecasts }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('read'));

    app.get(
      '/forecast',
      {
        schema: {
          operationId: 'forecast',
          summary: 'Read the expected number of fires per minute',
          description:
            'The fires of a large project are counted in the background, about once a minute; `computedAt` says when. Until they have been counted for the first time, `complete` is false and only the next fire of each schedule is counted.',
          tags: ['Time'],
          querystring: z.strictObject({ hours: z.coerce.number().int().min(1).max(MAX_HOURS).default(24) }),
          response: responses({ 200: Forecast }, 400),
        },
      },
      async ({ caller: { projectId }, query: { hours } }) => {
        const fromAt = Math.floor(clock.now());
        const toAt = fromAt + hours * HOUR_MS;
        const { computedAt, fires, isComplete } = await forecasts.read({ projectId, fromAt, hours });
        const minutes = [...fires]
          .filter(([at]) => at >= minuteOf(fromAt) && at <= toAt)
          .sort(([a], [b]) => a - b);
        return {
          from: iso(fromAt),
          to: iso(toAt),
          total: minutes.reduce((sum, [, count]) => sum + count, 0),
          computedAt: iso(computedAt),
          complete: isComplete,
          minutes: minutes.map(([at, count]) => ({ at: iso(at), fires: count })),
        };
      },
    );

    app.get(
      '/forecast/minute',
      {
        schema: {
          operationId: 'forecastMinute',
          summary: 'List the schedules that fire in one minute',
          description: `Names up to ${MAX_SCHEDULES_NAMED} schedules: first those whose next fire is in this minute, then those that also fire before it.`,
          tags: ['Time'],
          querystring: z.strictObject({ at: MomentInput }),
          response: responses({ 200: ForecastMinute }, 400),
        },
      },
      async ({ caller: { projectId }, query }) => {
        const nowAt = Math.floor(clock.now());
        const fromAt = minuteOf(query.at);
        const hours = Math.ceil((fromAt + MINUTE_MS - nowAt) / HOUR_MS);
        if (hours > MAX_HOURS || fromAt + MINUTE_MS <= nowAt) {
          const message = `expected an instant within the next ${MAX_HOURS} hours`;
          throw invalid([{ field: 'at', message }]);
        }
        const ahead = { projectId, fromAt: nowAt, hours: Math.max(hours, 1) };
        const [{ groups, isComplete }, { fires: all }, due] = await Promise.all([
          forecasts.readGroups(ahead),
          forecasts.read(ahead),
          readDueWithin(pool, { projectId, fromAt, toAt: fromAt + MINUTE_MS, limit: MAX_SCHEDULES_NAMED }),
        ]);
        const firing = await findGroups(groups, fromAt);
        const room = MAX_SCHEDULES_NAMED - due.length;
        const later =
          room > 0 && firing.groups.length > 0
            ? await readSchedulesOfGroups(pool, { projectId, picked: firing.groups, limit: room })
            : [];
        return {
          at: iso(fromAt),
          fires: Math.max(all.get(fromAt) ?? 0, due.length),
          complete: isComplete && firing.isComplete,
          schedules: [...due, ...later].map(({ key, name, rule, targetType, nextRunAt }) => ({
            id: key,
            name,
            rule: rule as z.infer<typeof ForecastMinute>['schedules'][number]['rule'],
            targetType: targetType as z.infer<typeof ForecastMinute>['schedules'][number]['targetType'],
            nextRunAt: iso(nextRunAt),
          })),
        };
      },
    );
  };

/**
 * Finds the groups that fire within the given minute, the group with the most schedules first. The next fire of each
 * schedule does not count, because the caller reads it from the table `agenda`. Stops after `MAX_SEARCH_MS`. The result is
 * incomplete if the search stopped, or if it is not known of a group whether it fires in that minute.
 */
async function findGroups(
  groups: readonly ForecastGroup[],
  minuteAt: number,
): Promise<{ groups: ForecastGroup[]; isComplete: boolean }> {
  let usedMs = 0;
  let sliceAt = performance.now();
  const firingGroups: ForecastGroup[] = [];
  let isComplete = true;
  const largestFirst = groups.toSorted((a, b) => b.schedules - a.schedules);
  for (const [index, group] of largestFirst.entries()) {
    const fires = laterFiresIn(group, minuteAt);
    if (fires === null) isComplete = false;
    else if (fires > 0) firingGroups.push(group);
    // The answer names at most MAX_NAMED schedules. Each group has at least one, so this many groups are enough.
    if (firingGroups.length >= MAX_SCHEDULES_NAMED) break;
    if (index % GROUPS_PER_TURN !== GROUPS_PER_TURN - 1) continue;
    usedMs += performance.now() - sliceAt;
    if (usedMs > MAX_SEARCH_MS) return { groups: firingGroups, isComplete: false };
    await new Promise(setImmediate);
    sliceAt = performance.now();
  }
  return { groups: firingGroups, isComplete };
}
