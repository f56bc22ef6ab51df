import type { PostgresClock } from '@carillon/queue';
import { MAX_CLOCK_OFFSET_MS } from '@carillon/shared';
import type { Logger } from 'pino';

/**
 * Warns once when this machine's clock differs from the clock of Postgres by more than a second, and reports once when
 * it is right again. Runs stay on time, because workers start them by the clock of Postgres. But other programs on the
 * machine may be affected.
 */
export function watchClock(
  clock: Pick<PostgresClock, 'offsetMs'>,
  log: Pick<Logger, 'warn' | 'info'>,
): () => void {
  let wasOff = false;
  return () => {
    const clockOffsetMs = Math.round(clock.offsetMs);
    const isOff = Math.abs(clockOffsetMs) > MAX_CLOCK_OFFSET_MS;
    if (isOff && !wasOff)
      log.warn(
        { clockOffsetMs },
        "This machine's clock differs from Postgres's by more than a second: synchronise it",
      );
    if (!isOff && wasOff) log.info({ clockOffsetMs }, "This machine's clock agrees with Postgres's again");
    wasOff = isOff;
  };
}
