import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * A mean delay of the event loop above this means that the process gets too little CPU. Even if thousands of runs are
 * due at once, the delay stays well below this.
 */
const STARVED_DELAY_MS = 200;
const CLAIM_PAUSE_MS = 100;
/** Minimum of the limit of a claim by a starved worker, so that the worker notices when the CPU is back. */
const MIN_PER_PAUSE = 10;
/**
 * The limit of a claim by a starved worker is the number of deliveries since its last claim, multiplied by this. So its
 * claims grow again when the CPU is back.
 */
const CLAIM_GROWTH_FACTOR = 1.25;

/**
 * Limits claims while the process gets too little CPU, to the number of runs that it can send. Without the limit every
 * destination would look slow: runs would be claimed, wait too long to be sent, be deferred, and be claimed again.
 */
export class Starvation {
  #sent = 0;

  constructor(private readonly readDelayMs: () => number = measureLoopDelay()) {}

  /** Counts a delivery that was sent, successful or not. Deferred runs do not count. */
  noteSent(): void {
    this.#sent++;
  }

  /**
   * Called before each claim. While the worker is starved, returns how long to pause and how many runs to claim, based
   * on the number of deliveries since the last claim. Otherwise null.
   */
  throttle(): { pauseMs: number; limit: number } | null {
    const sent = this.#sent;
    this.#sent = 0;
    if (this.readDelayMs() < STARVED_DELAY_MS) return null;
    return { pauseMs: CLAIM_PAUSE_MS, limit: Math.max(MIN_PER_PAUSE, Math.ceil(sent * CLAIM_GROWTH_FACTOR)) };
  }
}

const RESOLUTION_MS = 20;
/** A shorter window has too few samples to tell starvation from one long turn of the event loop. */
const SAMPLING_WINDOW_MS = 1_000;

/** The mean delay of the event loop over the last full window. */
function measureLoopDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let delayMs = 0;
  let since = performance.now();
  return () => {
    if (performance.now() - since >= SAMPLING_WINDOW_MS) {
      delayMs = histogram.count === 0 ? 0 : histogram.mean / 1e6 - RESOLUTION_MS;
      histogram.reset();
      since = performance.now();
    }
    return delayMs;
  };
}
