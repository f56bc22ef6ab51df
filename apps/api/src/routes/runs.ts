import { listRuns, type RunCursor, readAttempts, readDeadLetters, readRun } from '@carillon/db';
import {
  DeadLetters,
  deadLetterFilter,
  encodeRunId,
  InstantInput,
  Limit,
  listOf,
  RUN_STATUSES,
  Run,
  RunId,
  RunWithAttempts,
  ScheduleKey,
} from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { decodeCursor, encodeCursor, invalidCursor, pageOf } from '../http/cursor.js';
import { notFound } from '../http/problem.js';
import { readRunId } from '../http/read-run-id.js';
import { responses } from '../http/responses.js';
import { composeRunStory } from '../ledger/compose-run-story.js';
import { iso } from '../present/iso.js';
import { presentAttempt, presentRun } from '../present/run.js';

const tags = ['Runs'];

/**
 * Maximum number of dead letters (runs that failed for good) that are grouped in the background, and maximum number
 * that are grouped while a client waits.
 */
const MAX_DEAD_LETTERS = 100_000;
const MAX_DEAD_LETTERS_AT_ONCE = 1_000;

/** The history of runs and their attempts. */
export const runRoutes =
  ({ pool, clock, deadLetters }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('read'));

    app.get(
      '/runs',
      {
        schema: {
          operationId: 'listRuns',
          summary: 'List runs, most recently changed first',
          description:
            'The runs of one schedule come in pages by their occurrences, the latest page first. A run whose delivery succeeded within two seconds keeps the place of its claim in the order, even if its result is stored later. One call looks at a limited number of runs. If few of them match the filter, the page holds fewer items than `limit`, or none, and `nextCursor` goes on.',
          tags,
          querystring: z.strictObject({
            schedule: ScheduleKey.optional(),
            status: z.enum(RUN_STATUSES).optional(),
            from: InstantInput.optional(),
            to: InstantInput.optional(),
            limit: Limit,
            cursor: z.string().max(200).optional(),
          }),
          response: responses({ 200: listOf(Run) }, 400),
        },
      },
      async ({ caller, query }) => {
        const { schedule, status, from, to, limit, cursor } = query;
        const after = cursor === undefined ? null : readPosition(cursor);
        const filter = { scheduleKey: schedule, status, from, to };
        const asked = { projectId: caller.projectId, filter, limit: limit + 1, after };
        const { runs, stoppedAt } = await listRuns(pool, asked);
        const { items, nextCursor } = pageOf(runs, limit, positionOf);
        const goOn = stoppedAt === null ? null : encodeCursor(positionOf(stoppedAt));
        // The runs of one schedule are read in the order of their occurrences. Sort the page by the time of each run's
        // last change. Otherwise an occurrence of next week that was skipped yesterday would come before a failure of
        // today.
        items.sort((a, b) => b.happenedAt - a.happenedAt);
        return { items: items.map(presentRun), nextCursor: nextCursor ?? goOn };
      },
    );

    app.get(
      '/runs/dead-letters',
      {
        schema: {
          operationId: 'listDeadLetters',
          summary: 'Group the runs that failed for good by receiver and error',
          description:
            'Replay a group with POST /v1/runs/replay and its `receiver` and `error`. The groups of a project with many dead letters are computed in the background and cached for up to a minute. Until they are ready, only the latest 1,000 are grouped and `complete` is false.',
          tags,
          querystring: z.strictObject(deadLetterFilter),
          response: responses({ 200: DeadLetters }, 400),
        },
      },
      async ({ caller: { projectId }, query: { schedule, ...filter } }) => {
        const scheduleKeys = schedule === undefined ? undefined : [schedule];
        const asked = { projectId, filter: { ...filter, scheduleKeys } };
        const summary =
          (await deadLetters.read(`${projectId} ${JSON.stringify(asked.filter)}`, () =>
            readDeadLetters(pool, { ...asked, maxRuns: MAX_DEAD_LETTERS }),
          )) ?? (await readDeadLetters(pool, { ...asked, maxRuns: MAX_DEAD_LETTERS_AT_ONCE }));
        const groups = summary.groups.map((group) => ({
          ...group,
          oldestAt: iso(group.oldestAt),
          latestAt: iso(group.latestAt),
        }));
        return { runs: summary.runs, complete: summary.isComplete, groups };
      },
    );

    app.get(
      '/runs/:id',
      {
        schema: {
          operationId: 'readRun',
          summary: 'Read a run with its attempts, its responses and the explanation of its outcome',
          tags,
          params: z.object({ id: RunId }),
          response: responses({ 200: RunWithAttempts }, 400, 404),
        },
      },
      async ({ caller, params }) => {
        const identity = readRunId(params.id);
        const run = identity && (await readRun(pool, caller.projectId, identity));
        if (!identity || !run) throw notFound('run', params.id);
        const attempts = await readAttempts(pool, caller.projectId, identity);
        const told = await composeRunStory(pool, caller.projectId, { run, nowAt: clock.now() });
        return {
          ...presentRun(run),
          ...told,
          attempts: attempts.map((attempt) => presentAttempt(run, attempt)),
        };
      },
    );
  };

const positionOf = (run: RunCursor) => `${run.happenedAt}/${encodeRunId(run)}`;

function readPosition(cursor: string): RunCursor {
  const [, happenedAt, runId] = /^(\d{1,15})\/(run_.+)$/.exec(decodeCursor(cursor)) ?? [];
  const run = runId === undefined ? null : readRunId(runId);
  if (!run) throw invalidCursor();
  return { ...run, happenedAt: Number(happenedAt) };
}
