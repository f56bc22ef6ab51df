import { type Database, doOnce, type KeptAnswer, requestHashOf } from '@carillon/db';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../context.js';
import { HttpProblem } from './problem.js';

export interface RouteResult extends KeptAnswer {
  /** Due times at which workers must look for work. Their bells (delayed jobs in Redis) are armed after the commit. */
  dueAts: number[];
}

/**
 * Executes a request and sends its response. A request with an `Idempotency-Key` is executed once; a repeat gets the
 * stored response.
 */
export async function respondOnce(
  { pool, bells }: Pick<ApiContext, 'pool' | 'bells'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  work: (db: Database) => Promise<RouteResult>,
): Promise<FastifyReply> {
  const key = readIdempotencyKey(request);
  let dueAts: number[] = [];
  const collect = async (db: Database): Promise<KeptAnswer> => {
    const { dueAts: resultDueAts, ...answer } = await work(db);
    dueAts = resultDueAts;
    return answer;
  };
  const { kind, answer } =
    key === null ? { kind: 'done', answer: await collect(pool) } : await executeOnce(key);
  // The change is committed. If Redis is away, a worker's next sweep of Postgres arms the bells.
  bells.arm(dueAts).catch(() => {});
  if (kind === 'repeated') reply.header('idempotency-replayed', 'true');
  return reply.status(answer.status).headers(answer.headers).send(answer.body);

  async function executeOnce(key: string) {
    const { method, url, body, caller } = request;
    const requestHash = requestHashOf([method, url, body ?? null]);
    const result = await doOnce(pool, { projectId: caller.projectId, key, requestHash }, collect);
    if (result.kind === 'mismatch') {
      throw new HttpProblem(
        'idempotency_key_reused',
        `the Idempotency-Key ${key} was already used for another request; use a new one`,
      );
    }
    return result;
  }
}

export function readIdempotencyKey({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new HttpProblem('invalid_header', 'Idempotency-Key: expected 1 to 255 visible ASCII characters');
  }
  return key;
}
