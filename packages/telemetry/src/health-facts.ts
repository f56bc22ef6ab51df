import type { EngineFacts, HealthFacts, RedisState } from '@carillon/shared';

/** A probe expects an answer within seconds, so a server that takes longer than this counts as unreachable. */
const MAX_WAIT_MS = 2_000;

/** Functions that ask the servers on which a process depends. */
export interface HealthSources {
  pingPostgres: () => Promise<unknown>;
  readEngine: () => Promise<EngineFacts>;
  lookAtRedis: () => Promise<RedisState>;
}

/** Reads the facts by which health is judged. Never throws: if a server does not answer, the facts say so. */
export async function readHealthFacts(sources: HealthSources): Promise<HealthFacts> {
  const [isPostgresUp, engine, redis] = await Promise.all([
    answerOr(
      false,
      sources.pingPostgres().then(() => true),
    ),
    answerOr(null, sources.readEngine()),
    answerOr('down' as const, sources.lookAtRedis()),
  ]);
  return { isPostgresUp, engine, redis };
}

function answerOr<T, Otherwise>(otherwise: Otherwise, answer: Promise<T>): Promise<T | Otherwise> {
  return Promise.race([
    answer.catch(() => otherwise),
    new Promise<Otherwise>((resolve) => setTimeout(resolve, MAX_WAIT_MS, otherwise).unref()),
  ]);
}
