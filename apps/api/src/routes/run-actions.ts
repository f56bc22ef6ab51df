import {
  type ChangeResult,
  cancelRun,
  type Database,
  previewReplay,
  type ReplayPreview,
  type RunChangeRequest,
  readAttempts,
  readRun,
  replayFailed,
  replayRun,
} from '@carillon/db';
import { ReplayAnswer, ReplayInput, RunId, RunWithAttempts } from '@carillon/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { HttpProblem, notFound, WRITES_UNLESS_DRY_RUN } from '../http/problem.js';
import { readRunId } from '../http/read-run-id.js';
import { respondOnce } from '../http/respond-once.js';
import { BODY_ERRORS, responses } from '../http/responses.js';
import { composeRunStory } from '../ledger/compose-run-story.js';
import { iso } from '../present/iso.js';
import { presentAttempt, presentRun } from '../present/run.js';

const params = z.object({ id: RunId });
const tags = ['Runs'];
const NoBody = z.strictObject({}).nullish();
const ERROR_STATUSES = [...BODY_ERRORS, 404, 409, 422];

const DEFAULTS = ReplayInput.parse({});

/** Replays and cancels runs. */
export const runActionRoutes =
  (context: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.addHook('onRequest', requireScope('write'));

    app.post(
      '/runs/:id/replay',
      {
        schema: {
          operationId: 'replayRun',
          summary: 'Replay a run that has ended',
          tags,
          params,
          body: NoBody,
          response: responses({ 200: RunWithAttempts }, ...ERROR_STATUSES),
        },
      },
      async (request, reply) => respondWithRunChange(context, { request, reply }, replayRun),
    );

    app.post(
      '/runs/:id/cancel',
      {
        schema: {
          operationId: 'cancelRun',
          summary: 'Cancel a run that is waiting or in flight',
          tags,
          params,
          body: NoBody,
          response: responses({ 200: RunWithAttempts }, ...ERROR_STATUSES),
        },
      },
      async (request, reply) => respondWithRunChange(context, { request, reply }, cancelRun),
    );

    app.post(
      '/runs/replay',
      {
        config: WRITES_UNLESS_DRY_RUN,
        onRequest: context.heavy.hook,
        schema: {
          operationId: 'replayFailedRuns',
          summary: 'Replay all failed runs that match a filter',
          description:
            'The oldest failures come first. Replays are spread over time so that a receiver is not flooded. With `dryRun` nothing changes, and the answer shows what would be replayed.',
          tags,
          body: ReplayInput.nullish(),
          response: responses({ 200: ReplayAnswer }, ...BODY_ERRORS),
        },
      },
      async (request) => {
        const { caller, body } = request;
        const { schedule, schedules, filter, limit, perSecond, dryRun, ...rest } = body ?? DEFAULTS;
        const scheduleKeys = schedule === undefined ? schedules : [schedule, ...(schedules ?? [])];
        const asked = {
          projectId: caller.projectId,
          filter: { ...rest, scheduleKeys, schedules: filter },
          limit,
        };
        if (dryRun) {
          const preview = await previewReplay(context.pool, asked);
          return { dryRun, replayed: 0, hasMore: !preview.isComplete, preview: presentPreview(preview) };
        }
        const { count, dueAts } = await context.heavy.do(request, () =>
          replayFailed(context.pool, { ...asked, perSecond, actor: caller.keyName }),
        );
        context.deadLetters.forget(`${caller.projectId} `);
        context.bells.arm(dueAts).catch(() => {});
        return { dryRun, replayed: count, hasMore: count === limit, preview: null };
      },
    );
  };

function respondWithRunChange(
  context: ApiContext,
  exchange: { request: FastifyRequest; reply: FastifyReply },
  change: (db: Database, request: RunChangeRequest) => Promise<ChangeResult<void>>,
): Promise<FastifyReply> {
  const { caller, params } = exchange.request;
  const { id } = params as { id: string };
  const identity = readRunId(id);
  if (!identity) throw notFound('run', id);
  return respondOnce(context, exchange, async (db) => {
    const result = await change(db, { projectId: caller.projectId, run: identity, actor: caller.keyName });
    if (result.kind === 'refused') throw new HttpProblem('invalid_state', result.reason);
    const run = result.kind === 'changed' && (await readRun(db, caller.projectId, identity));
    if (result.kind !== 'changed' || !run) throw notFound('run', id);
    context.deadLetters.forget(`${caller.projectId} `);
    const attempts = await readAttempts(db, caller.projectId, identity);
    const told = await composeRunStory(db, caller.projectId, { run, nowAt: context.clock.now() });
    const body = {
      ...presentRun(run),
      ...told,
      attempts: attempts.map((attempt) => presentAttempt(run, attempt)),
    };
    return { status: 200, headers: {}, body, dueAts: result.dueAts };
  });
}

const presentPreview = ({ count, schedules, examples, oldestAt, latestAt }: ReplayPreview) => ({
  runs: count,
  schedules,
  examples,
  oldestAt: iso(oldestAt),
  latestAt: iso(latestAt),
});
