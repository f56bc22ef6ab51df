import { type Database, doOnce, forgetAnswers, type KeptAnswer, requestHashOf } from '@carillon/db';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from './context.js';
import { HttpProblem } from './problem.js';

export interface Answer extends KeptAnswer {
  /** What to arm once it is committed. */
  dueAts: number[];
}

const FORGET_EVERY_MS = 600_000;
let forgottenAt = 0;

/**
 * Does what a request asks for and answers. With an `Idempotency-Key` it is done once: whoever repeats the request gets
 * the answer of the first.
 */
export async function answerOnce(
  { pool, bells }: Pick<ApiContext, 'pool' | 'bells'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  work: (db: Database) => Promise<Answer>,
): Promise<FastifyReply> {
  const key = readIdempotencyKey(request);
  let dueAts: number[] = [];
  const collect = async (db: Database): Promise<KeptAnswer> => {
    const { dueAts: entailed, ...answer } = await work(db);
    dueAts = entailed;
    return answer;
  };
  const { kind, answer } = key === null ? { kind: 'done', answer: await collect(pool) } : await once(key);
  // Redis being away is no reason to refuse: what was changed is in, the sweep arms it.
  bells.arm(dueAts).catch(() => {});
  if (kind === 'repeated') reply.header('idempotency-replayed', 'true');
  return reply.status(answer.status).headers(answer.headers).send(answer.body);

  async function once(key: string) {
    const { method, url, body, caller } = request;
    const requestHash = requestHashOf([method, url, body ?? null]);
    const result = await doOnce(pool, { projectId: caller.projectId, key, requestHash }, collect);
    if (result.kind === 'mismatch') {
      throw new HttpProblem(
        422,
        `the Idempotency-Key ${key} came before with another request; use a new one`,
      );
    }
    forgetNowAndThen(pool);
    return result;
  }
}

function readIdempotencyKey({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new HttpProblem(400, 'Idempotency-Key: expected 1 to 255 visible ASCII characters');
  }
  return key;
}

function forgetNowAndThen(pool: ApiContext['pool']): void {
  if (performance.now() - forgottenAt < FORGET_EVERY_MS && forgottenAt > 0) return;
  forgottenAt = performance.now();
  forgetAnswers(pool).catch(() => {});
}
