const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopSignals {
  /** Aborted by the first signal: stop, in order. */
  stop: AbortSignal;
  /** Aborted by a second one: the person is out of patience. */
  hurry: AbortSignal;
  release(): void;
}

/**
 * Ctrl-C in a terminal comes twice where npm passes on what the terminal has already sent to the whole group, so a
 * second signal within this time is taken for the same one.
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
