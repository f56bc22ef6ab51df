import { isTransientError } from '@carillon/db';
import type { Logger } from 'pino';

const LOOK_EVERY_MS = 500;

/** Does a piece of work again until Postgres is there for it; gives up, with the error, only when told to stop. */
export async function untilBack<T>(
  work: () => Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isTransientError(error)) throw error;
      log.debug({ err: error }, 'Postgres is away: requests wait');
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}
