import type { Outcome } from '@carillon/shared';
import type { AbortReason, StopSignal } from '../../pipeline/in-flight.js';
import type { Gate } from './gate.js';

/**
 * A delivery that waits in memory holds one of the worker's places, so it waits no longer than this. Longer waits are
 * deferred to Postgres.
 */
export const PATIENCE_MS = 2_000;
const SENT_NOTHING_RETRY_MS = 1_000;

/** Makes a delivery inside a gate, or returns `putOff` if no place in the gate comes free soon. */
export async function passGate(
  gate: Gate,
  { timeoutMs, signal }: { timeoutMs: number; signal: StopSignal },
  putOff: (returnInMs: number) => Outcome,
  deliver: () => Promise<Outcome>,
): Promise<Outcome> {
  const returnInMs = await gate
    .enter(Math.min(PATIENCE_MS, timeoutMs / 4), signal)
    .catch((error: unknown) => {
      // The time ran out at our own gate, before anything was sent: the attempt does not count.
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

/** A flight's signal has a word as its reason; a plain time-out signal has an error with this name. */
export function hasTimedOut({ reason }: StopSignal): boolean {
  return (
    reason === ('timeout' satisfies AbortReason) || (reason as Error | undefined)?.name === 'TimeoutError'
  );
}
