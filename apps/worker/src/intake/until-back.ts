import type { Logger } from 'pino';

const LOOK_EVERY_MS = 500;

/** Classes of SQLSTATE that say "not now": connection (08), resources (53), operator (57), rolled back (40), system (58). */
const NOT_NOW = /^(08|40|53|57|58)/;
/** What pg says, without a code, of a connection that broke or was not had. */
const BROKEN =
  /^(Connection terminated|Client has encountered|timeout exceeded|timeout expired|Query read timeout)/;

/** Whether an error says that Postgres is away, rather than that it won't have what it was given. */
export function isAway(error: unknown): boolean {
  const { code = '', severity, syscall, message = '' } = error as Record<string, string | undefined>;
  const isFromPostgres = severity !== undefined;
  // What is fatal ended the connection, or refused it: that is never about the request.
  if (isFromPostgres) return severity === 'FATAL' || severity === 'PANIC' || NOT_NOW.test(code);
  return syscall !== undefined || BROKEN.test(message);
}

/** Does a piece of work again until Postgres is there for it; gives up, with the error, only when told to stop. */
export async function untilBack<T>(
  work: () => Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
      log.debug({ err: error }, 'Postgres is away: requests wait');
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}
