import type { Outcome } from '@carillon/shared';
import type { AbortReason, StopSignal } from '../../pipeline/in-flight.js';
import type { Gate } from './gate.js';

/**
 * A delivery that waits in memory holds one of the worker's places, so it waits no longer than this. A delivery that
 * would have to wait longer is deferred.
 */
export const PATIENCE_MS = 2_000;
const SENT_NOTHING_RETRY_MS = 1_000;

/** Makes a delivery inside a gate. Returns the outcome of `putOff` if no place in the gate comes free soon. */
export async function passGate(
  gate: Gate,
  { timeoutMs, signal }: { timeoutMs: number; signal: StopSignal },
  putOff: (returnInMs: number) => Outcome,
  deliver: () => Promise<Outcome>,
): Promise<Outcome> {
  const returnInMs = await gate
    .enter(Math.min(PATIENCE_MS, timeoutMs / 4), signal)
    .catch((error: unknown) => {
      // The time ran out at Carillon's own gate, before anything was sent, so the attempt does not count.
      if (hasTimedOut(signal)) return SENT_NOTHING_RETRY_MS;
      throw error;
    });
  if (returnInMs > 0) return putOff(returnInMs);
  const startedAt = performance.now();
  let outcome: Outcome | null = null;
  try {
    outcome = await deliver();
    return outcome;
  } finally {
    gate.leave(outcome?.kind === 'deferred' ? null : performance.now() - startedAt);
  }
}

/**
 * True if the signal aborted by a time-out. The reason is a string for a flight, and an error for
 * `AbortSignal.timeout`.
 */
export function hasTimedOut({ reason }: StopSignal): boolean {
  return (
    reason === ('timeout' satisfies AbortReason) || (reason as Error | undefined)?.name === 'TimeoutError'
  );
}
