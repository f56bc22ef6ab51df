import type { Outcome } from '@carillon/shared';
import type { AbortReason, StopSignal } from '../../pipeline/in-flight.js';
import type { Gate } from './gate.js';

/**
 * Maximum time that a delivery waits at a gate. It holds one of the worker's places meanwhile, so a delivery that would
 * have to wait longer is deferred.
 */
export const PATIENCE_MS = 2_000;
const SENT_NOTHING_RETRY_MS = 1_000;

/** Makes a delivery inside a gate. If the gate has no place for it soon, returns the outcome of `putOff` instead. */
export async function passGate(
  gate: Gate,
  { timeoutMs, signal }: { timeoutMs: number; signal: StopSignal },
  putOff: (returnInMs: number) => Outcome,
  deliver: () => Promise<Outcome>,
): Promise<Outcome> {
  const returnInMs = await gate
    .enter(Math.min(PATIENCE_MS, timeoutMs / 4), signal)
    .catch((error: unknown) => {
      // The time ran out while the delivery waited at Carillon's own gate. Nothing was sent, so the attempt does not
      // count.
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
 * True if the signal aborted because of a time-out. A flight gives a string as the reason, `AbortSignal.timeout` an
 * error.
 */
export function hasTimedOut({ reason }: StopSignal): boolean {
  return (
    reason === ('timeout' satisfies AbortReason) || (reason as Error | undefined)?.name === 'TimeoutError'
  );
}
