/** The default of STOP_DEADLINE_MS: how long a stopping worker waits for its deliveries. */
const STOP_DEADLINE_MS = 10_000;
/**
 * Maximum time of all steps of a stop except the wait whose length is a setting: `STOP_DEADLINE_MS` for a worker,
 * `STOP_DELAY_MS` for the API. It is the same for both (docs/monitoring.md).
 */
const OTHER_STEPS_MS = 15_000;

/** The longest time that the API or a worker with these settings takes to stop. */
export function longestStopMs(env: NodeJS.ProcessEnv): number {
  const deadlineMs = Number(env.STOP_DEADLINE_MS) || STOP_DEADLINE_MS;
  const delayMs = Number(env.STOP_DELAY_MS) || 0;
  return Math.max(deadlineMs, delayMs) + OTHER_STEPS_MS;
}
