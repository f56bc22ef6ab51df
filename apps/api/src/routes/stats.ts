import { readStats } from '@carillon/db';
import {
  DAY_MS,
  duration,
  formatDuration,
  HOUR_MS,
  MINUTE_MS,
  MomentInput,
  parseDuration,
  Stats,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { invalid } from '../http/problem.js';
import { responses } from '../http/responses.js';
import { iso } from '../present/iso.js';
import { addCounted, NOTHING_COUNTED, presentCounted } from '../present/stats.js';

/** Maximum number of steps in one answer: slightly more than the minutes of a day. */
const MAX_STEPS_PER_ANSWER = 1_500;

/** Counts of runs by outcome, and quantiles of their lateness. */
export const statsRoutes =
  ({ pool, clock }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/stats',
      {
        schema: {
          operationId: 'readStats',
          summary: 'Count runs by outcome, with their lateness, for each step of time',
          description:
            'The default range is the last hour. A run that succeeded within two seconds counts in the minute in which it was claimed, any other in the minute in which it ended. Steps begin at whole multiples of `step`. Up to 1,500 steps; minutes are kept for 35 days.',
          tags: ['Runs'],
          querystring: z.strictObject({
            from: MomentInput.optional(),
            to: MomentInput.optional(),
            step: duration({ minMs: MINUTE_MS, maxMs: 7 * DAY_MS, example: 'PT1M' }).default('PT1M'),
          }),
          response: responses({ 200: Stats }, 400),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller, query }) => {
        const stepMs = parseDuration(query.step) ?? MINUTE_MS;
        if (stepMs % MINUTE_MS !== 0)
          throw invalid([{ field: 'step', message: 'expected a number of whole minutes, such as PT5M' }]);
        const { fromAt, toAt } = rangeOf(query, { stepMs, nowAt: clock.now() });
        const { rows, isComplete } = await readStats(pool, {
          projectId: caller.projectId,
          fromAt,
          toAt,
          stepMs,
          now: null,
        });
        const counted = new Map(rows.map((row) => [row.at, row]));
        const steps = Array.from({ length: (toAt - fromAt) / stepMs }, (_, i) => fromAt + i * stepMs);
        return {
          from: iso(fromAt),
          to: iso(toAt),
          step: formatDuration(stepMs),
          complete: isComplete,
          total: presentCounted(rows.reduce(addCounted, NOTHING_COUNTED)),
          items: steps.map((at) => ({ at: iso(at), ...presentCounted(counted.get(at) ?? NOTHING_COUNTED) })),
        };
      },
    );
  };

/**
 * Widens the range to whole steps: it begins at or before `from`, and ends at or after `to` or the present, whichever
 * is earlier.
 */
function rangeOf(
  { from, to }: { from?: number | undefined; to?: number | undefined },
  { stepMs, nowAt }: { stepMs: number; nowAt: number },
): { fromAt: number; toAt: number } {
  // There are no statistics of the future, so the range ends with the step in progress.
  const untilAt = Math.min(to ?? nowAt, nowAt);
  const sinceAt = from ?? untilAt - HOUR_MS;
  if (untilAt <= sinceAt)
    throw invalid([{ field: 'to', message: 'is not after `from`; expected a later instant' }]);
  const fromAt = Math.floor(sinceAt / stepMs) * stepMs;
  const toAt = Math.ceil(untilAt / stepMs) * stepMs;
  if ((toAt - fromAt) / stepMs > MAX_STEPS_PER_ANSWER) {
    const message = `makes more than ${MAX_STEPS_PER_ANSWER} steps; expected a longer step or a shorter range`;
    throw invalid([{ field: 'step', message }]);
  }
  return { fromAt, toAt };
}
