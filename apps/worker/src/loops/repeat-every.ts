/** Repeats work at an interval until stopped, one call at a time. An error is reported and does not end the loop. */
export function repeatEvery(
  intervalMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  let isStopped = false;
  let wake = () => {};
  const loop = (async () => {
    while (!isStopped) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, intervalMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (!isStopped) await work().catch(onError);
    }
  })();
  return {
    stop() {
      isStopped = true;
      wake();
      return loop;
    },
  };
}
