import {
  type ChangeResult,
  cancelRun,
  type Database,
  type RunChangeRequest,
  readAttempts,
  readRun,
  replayFailed,
  replayRun,
} from '@carillon/db';
import { decodeRunId, ReplayAnswer, ReplayInput, RunId, RunWithAttempts } from '@carillon/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerOnce } from '../answer-once.js';
import { answers, BODY } from '../answers.js';
import type { ApiContext } from '../context.js';
import { requireScope } from '../plugins/authenticate.js';
import { presentAttempt, presentRun } from '../present/run.js';
import { HttpProblem, notFound } from '../problem.js';

const params = z.object({ id: RunId });
const tags = ['Runs'];
const NoBody = z.strictObject({}).nullish();
const REFUSALS = [...BODY, 404, 409, 422];

const ALL = ReplayInput.parse({});

/** What can be done with runs. */
export const runActionRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('write'));

    app.post(
      '/runs/:id/replay',
      {
        schema: {
          operationId: 'replayRun',
          summary: 'Try a run that has ended once more',
          tags,
          params,
          body: NoBody,
          response: answers({ 200: RunWithAttempts }, ...REFUSALS),
        },
      },
      async (request, reply) => answerRunChange(context, { request, reply }, replayRun),
    );

    app.post(
      '/runs/:id/cancel',
      {
        schema: {
          operationId: 'cancelRun',
          summary: 'Cancel a run that waits or is under way',
          tags,
          params,
          body: NoBody,
          response: answers({ 200: RunWithAttempts }, ...REFUSALS),
        },
      },
      async (request, reply) => answerRunChange(context, { request, reply }, cancelRun),
    );

    app.post(
      '/runs/replay',
      {
        schema: {
          operationId: 'replayFailedRuns',
          summary: 'Replay all failed runs that match a filter',
          description:
            'Those that failed first come first, spread over time so that a receiver is not flooded.',
          tags,
          body: ReplayInput.nullish(),
          response: answers({ 200: ReplayAnswer }, ...BODY),
        },
      },
      async ({ caller, body }) => {
        const { schedule, from, to, limit, perSecond } = body ?? ALL;
        const { count, dueAts } = await replayFailed(context.pool, {
          projectId: caller.projectId,
          filter: {
            scheduleKey: schedule,
            from: from === undefined ? from : new Date(from),
            to: to === undefined ? to : new Date(to),
          },
          limit,
          perSecond,
          actor: caller.keyName,
        });
        context.bells.arm(dueAts).catch(() => {});
        return { replayed: count, hasMore: count === limit };
      },
    );
  };

function answerRunChange(
  context: ApiContext,
  exchange: { request: FastifyRequest; reply: FastifyReply },
  change: (db: Database, request: RunChangeRequest) => Promise<ChangeResult<void>>,
): Promise<FastifyReply> {
  const { caller, params } = exchange.request;
  const { id } = params as { id: string };
  const identity = decodeRunId(id);
  if (!identity) throw notFound('run', id);
  return answerOnce(context, exchange, async (db) => {
    const result = await change(db, { projectId: caller.projectId, run: identity, actor: caller.keyName });
    if (result.kind === 'refused') throw new HttpProblem(409, result.reason);
    const run = result.kind === 'changed' && (await readRun(db, caller.projectId, identity));
    if (result.kind !== 'changed' || !run) throw notFound('run', id);
    const attempts = await readAttempts(db, caller.projectId, identity);
    const body = { ...presentRun(run), attempts: attempts.map((attempt) => presentAttempt(run, attempt)) };
    return { status: 200, headers: {}, body, dueAts: result.dueAts };
  });
}
