const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopSignals {
  /** Aborted by the first signal: stop gracefully. */
  stop: AbortSignal;
  /** Aborted by the second signal: stop at once. */
  hurry: AbortSignal;
  release(): void;
}

/**
 * Ctrl-C can arrive twice: the terminal sends it to the whole process group, and npm forwards it. A second signal
 * within this time counts as the same one.
 */
const SAME_SIGNAL_MS = 1_000;

export function listenForStop(): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let firstAt = 0;
  const onSignal = () => {
    if (!stop.signal.aborted) {
      firstAt = Date.now();
      stop.abort();
    } else if (Date.now() - firstAt > SAME_SIGNAL_MS) hurry.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
