import { findLatestSent, findPinged, type PingKind, recordPing, reportRun } from '@carillon/db';
import { decodeRunId, encodeRunId, failureLabel } from '@carillon/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type PingToken, readPingToken } from '../auth/ping-token.js';
import { tooManyRequests } from '../auth/rate-limit.js';
import { TokenBuckets } from '../auth/token-buckets.js';
import type { ApiContext } from '../context.js';
import { HttpProblem } from '../http/problem.js';
import { publicResponses } from '../http/responses.js';

const tags = ['Heartbeats'];
const Token = z.string().min(1).max(128);
const params = z.object({ token: Token });
const PATHS = [
  {
    path: '/ping/:token',
    kind: 'success',
    operation: 'ping',
    summary: 'Report that a job has succeeded',
    params,
  },
  {
    path: '/ping/:token/start',
    kind: 'start',
    operation: 'pingStart',
    summary: 'Report that a job has started',
    params,
  },
  {
    path: '/ping/:token/fail',
    kind: 'fail',
    operation: 'pingFail',
    summary: 'Report that a job has failed',
    params,
  },
  {
    path: '/ping/:token/log',
    kind: 'log',
    operation: 'pingLog',
    summary: 'Record a text from a job, without a change of its state',
    params,
  },
  {
    path: '/ping/:token/:exitStatus(^\\d{1,3}$)',
    kind: 'exit status',
    operation: 'pingExitStatus',
    summary: 'Report the exit status of a job: 0 is a success, and any other is a failure',
    params: z.object({ token: Token, exitStatus: z.coerce.number().int().min(0).max(255) }),
  },
] as const;

/** Maximum number of bytes of a ping's body that are kept. */
const MAX_KEPT_BYTES = 10 * 1_024;
/** Maximum size of a ping's body. A longer one is refused. */
const MAX_BODY_BYTES = 256 * 1_024;

type PingRequest = FastifyRequest<{
  Params: { token: string; exitStatus?: number };
  Querystring: { rid?: string | undefined };
}>;

/**
 * Receives pings: requests by which jobs that run elsewhere report. A ping needs no API key, because the token in its
 * path is the credential.
 */
export const pingRoutes =
  ({
    pool,
    bells,
    clock,
    counters,
    secrets,
    pingsPerMinute,
    usage: bus,
  }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    const buckets = new TokenBuckets<number>({ shared: { bus, name: 'pings' } });
    // A job may send any content type, for instance the end of its log as plain text.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    );

    const take =
      (reported: PingKind | 'exit status') => async (request: PingRequest, reply: FastifyReply) => {
        // The token and the rate are checked before any query, so wrong tokens and too many pings do not reach
        // Postgres.
        const token = secrets && readPingToken(secrets, request.params.token);
        if (!token) throw unknownPing();
        const { isTaken, waitMs } = buckets.take(token.scheduleId, pingsPerMinute);
        if (!isTaken)
          throw tooManyRequests('too_many_pings', {
            detail: `more than ${pingsPerMinute} pings a minute`,
            waitMs,
          });
        const { kind, body } = readPing(reported, request);
        const recorded = await recordPing(pool, { ...token, kind, body, now: null });
        if (!recorded) await takeReport(request, { token, kind, body });
        if (recorded?.hasWoken) bells.arm([clock.now()]).catch(() => {}); // If Redis is away, the sweep finds the run.
        return reply.type('text/plain; charset=utf-8').serializer(String).send('OK');
      };

    /**
     * Handles a ping for a schedule whose target is not `heartbeat`: the job received the run and reports on it. The
     * ping is about the run that `rid` names. Without `rid`, the ping is about the run with the latest occurrence among
     * the runs whose delivery has begun.
     */
    const takeReport = async (
      { query: { rid }, log }: PingRequest,
      { token, kind, body }: { token: PingToken; kind: PingKind; body: string | null },
    ) => {
      const pinged = await findPinged(pool, token);
      if (!pinged) throw unknownPing();
      const { projectId } = pinged;
      const { scheduleId } = token;
      const run =
        rid === undefined ? await findLatestSent(pool, { projectId, scheduleId }) : decodeRunId(rid);
      if (!run || run.scheduleId !== scheduleId) throw unknownRun(rid);
      const reported = await reportRun(pool, { projectId, run, kind, body, now: null });
      if (reported.kind === 'refused') throw new HttpProblem('invalid_state', reported.reason);
      if (reported.kind !== 'changed') throw unknownRun(rid);
      bells.arm(reported.dueAts).catch(() => {}); // If Redis is away, the sweep finds the due runs.
      const { hasFailed, scheduleKey, targetType: target, attempt, reason: error } = reported.value;
      if (!hasFailed) return;
      const errorCode = 'reported_failure';
      counters.count(
        'carillon_runs_failed_total',
        1,
        `target="${target}",reason="${failureLabel(errorCode)}"`,
      );
      log.error(
        { runId: encodeRunId(run), scheduleId: scheduleKey, projectId, target, attempt, errorCode, error },
        'Run failed for good: its job reported a failure',
      );
    };

    for (const { path, kind, operation, summary, params } of PATHS) {
      for (const method of ['GET', 'POST'] as const) {
        app.route({
          method,
          url: path,
          config: { mayWrite: true },
          schema: {
            operationId: method === 'GET' ? operation : `${operation}WithBody`,
            summary,
            description:
              'A ping needs no key, because the token in the path is the permission. A HEAD request counts as well. The first 10 KB of the body of a POST are kept.',
            tags,
            security: [],
            params,
            querystring: z.object({
              rid: z
                .string()
                .max(128)
                .optional()
                .describe(
                  'The id of the run to report on. Default: the run that was sent last. A schedule with the target `heartbeat` ignores it.',
                ),
            }),
            response: publicResponses(
              { 200: { description: 'OK', content: { 'text/plain': { schema: z.literal('OK') } } } },
              400,
              404,
              409,
              413,
            ),
          },
          handler: take(kind),
        });
      }
    }
  };

const unknownRun = (rid: string | undefined) =>
  new HttpProblem(
    'unknown_ping',
    rid === undefined
      ? 'no run of this schedule was sent yet'
      : 'rid names no run of this schedule; expected the runId of the delivery',
  );

const unknownPing = () =>
  new HttpProblem('unknown_ping', 'no heartbeat has this token; it may have been rotated');

/**
 * Turns a ping into its kind and its text. An exit status other than 0 becomes the start of the text, because the text
 * is shown as the reason of the failure.
 */
function readPing(
  reported: PingKind | 'exit status',
  { params: { exitStatus = 0 }, body }: PingRequest,
): { kind: PingKind; body: string | null } {
  const text = keptBody(body);
  if (reported !== 'exit status') return { kind: reported, body: text };
  if (exitStatus === 0) return { kind: 'success', body: text };
  const status = `exit status ${exitStatus}`;
  return { kind: 'fail', body: text === null ? status : `${status}: ${text}` };
}

/** The first 10 KiB of the body, as text that Postgres can store; null if there is none. */
function keptBody(body: unknown): string | null {
  if (!Buffer.isBuffer(body) || body.length === 0) return null;
  return body.subarray(0, MAX_KEPT_BYTES).toString('utf8').replaceAll('\0', '\uFFFD');
}
