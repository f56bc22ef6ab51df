import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Mean delay of the event loop above which the process gets too little CPU. A herd of thousands stays well below. */
const STARVED_DELAY_MS = 200;
const PAUSE_MS = 100;
/** Minimum number of claims per pause, so that a starved worker notices when it has recovered. */
const LEAST_PER_PAUSE = 10;
/** A starved worker may claim this many times what it has sent, so that its claims grow again when the CPU comes back. */
const GROWTH = 1.25;

/**
 * Limits claims to the number of runs that can be sent while the process gets too little CPU. Every destination looks
 * slow then: runs would be claimed, wait too long at their gate, be deferred, and be claimed again.
 */
export class Starvation {
  #sent = 0;

  constructor(private readonly readDelayMs: () => number = measureLoopDelay()) {}

  /** Counts a delivery, successful or not. Deferred ones do not count. */
  noteSent(): void {
    this.#sent++;
  }

  /**
   * Called before each claim. While starved, returns how long to pause and how many runs to claim, based on the
   * deliveries since the last claim.
   */
  throttle(): { pauseMs: number; limit: number } | null {
    const sent = this.#sent;
    this.#sent = 0;
    if (this.readDelayMs() < STARVED_DELAY_MS) return null;
    return { pauseMs: PAUSE_MS, limit: Math.max(LEAST_PER_PAUSE, Math.ceil(sent * GROWTH)) };
  }
}

const RESOLUTION_MS = 20;
/** A shorter window has too few samples to tell starvation from one long turn of the event loop. */
const WINDOW_MS = 1_000;

/** The mean delay of the event loop over the last full window. */
function measureLoopDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let delayMs = 0;
  let since = performance.now();
  return () => {
    if (performance.now() - since >= WINDOW_MS) {
      delayMs = histogram.count === 0 ? 0 : histogram.mean / 1e6 - RESOLUTION_MS;
      histogram.reset();
      since = performance.now();
    }
    return delayMs;
  };
}
