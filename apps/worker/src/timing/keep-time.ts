import { readNextDue } from '@carillon/db';
import type { TimerBells } from '@carillon/queue';
import type { WorkerContext } from '../context.js';

/**
 * Maximum time between two queries of the next due time. A schedule that another process has just made due is found
 * within this time. The query needs only index lookups.
 */
const MAX_SLEEP_MS = 250;
const FIRST_BACKOFF_MS = 5;

/**
 * Starts claims in time without Redis: reads the next due time from Postgres, sleeps until then, and starts a claim. If
 * this worker itself creates an earlier due time, the sleep is shortened. Runs until the signal aborts.
 */
export async function keepTime(
  { pool, clock, log }: Pick<WorkerContext, 'pool' | 'clock' | 'log'>,
  {
    bells,
    canClaim,
    ring,
    signal,
  }: { bells: TimerBells; canClaim: () => boolean; ring: () => Promise<void>; signal: AbortSignal },
): Promise<void> {
  const alarm = new Alarm(() => clock.now() - clock.errorMs);
  bells.onArmed = (dueAt) => alarm.bringForwardTo(dueAt);
  signal.addEventListener('abort', () => alarm.bringForwardTo(Number.NEGATIVE_INFINITY));
  let backoffMs = FIRST_BACKOFF_MS;
  while (!signal.aborted) {
    const answer = await clock
      .ask(() => readNextDue(pool, null))
      .catch((error: unknown) => {
        log.debug({ err: error }, 'The next due time could not be read');
        return null;
      });
    const isDue = answer?.hasDue ?? false;
    if (isDue && canClaim()) await ring().catch(() => {}); // The claim has reported its error.
    // Rows may still be due: this worker has no room or lacks their handler, or another transaction has locked them. So
    // the time to the next query grows.
    backoffMs = isDue ? Math.min(backoffMs * 2, MAX_SLEEP_MS) : FIRST_BACKOFF_MS;
    const latestAt = clock.now() + (isDue ? backoffMs : MAX_SLEEP_MS);
    await alarm.sleepUntil(Math.min(latestAt, answer?.nextDueAt ?? latestAt));
  }
}

/** A sleep that can be shortened. A call of `bringForwardTo` between two sleeps shortens the next one. */
class Alarm {
  #wake: () => void = () => {};
  #wakeAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly now: () => number) {}

  async sleepUntil(at: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.bringForwardTo(at);
    });
    this.#wake = () => {};
    this.#wakeAt = Number.POSITIVE_INFINITY;
  }

  bringForwardTo(at: number): void {
    this.#wakeAt = Math.min(this.#wakeAt, at);
    clearTimeout(this.#timer);
    // Node may fire a timer a millisecond early.
    const ms = Math.max(0, Math.min(Math.ceil(this.#wakeAt - this.now()) + 1, MAX_SLEEP_MS));
    this.#timer = setTimeout(() => this.#wake(), ms);
  }
}
