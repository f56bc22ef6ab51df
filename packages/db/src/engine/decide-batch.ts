import { type Decision, decideDue } from '@carillon/shared';
import type { DueRow } from './claim.js';

/** A due schedule whose definition can't be read. */
export interface UnreadableRow {
  id: number;
  unreadable: string;
}

export type Decided =
  | { kind: 'move'; row: DueRow; decision: Extract<Decision, { kind: 'move' }> }
  | { kind: 'broken'; row: DueRow | UnreadableRow; reason: string };

/**
 * Maximum time per turn of the event loop, so that deliveries and the extension of leases are not delayed. A batch of
 * 1,000 cached rules usually takes less. On a worker that has just started, no rule is cached: 1,000 different rules
 * took from 0.2 s (BYSETPOS) to 14 s (BYSETPOS with COUNT) on two busy cores.
 */
const MAX_TURN_MS = 20;
/**
 * Maximum time for the decisions of one batch. Postgres ends a transaction in which nothing happens for 8 s, and the
 * rows of the batch stay locked until then.
 */
const MAX_BATCH_MS = 2_000;

/**
 * Decides about due schedules, and yields to other work of the process in between. If the decisions take too long, the
 * last rows get none: the next claim decides about them. The first row always gets a decision.
 */
export async function decideBatch(
  rows: readonly (DueRow | UnreadableRow)[],
  nowAt: number,
): Promise<Decided[]> {
  const decided: Decided[] = [];
  const beganAt = performance.now();
  let turnBeganAt = beganAt;
  for (const row of rows) {
    const at = performance.now();
    if (at - turnBeganAt > MAX_TURN_MS) {
      if (at - beganAt > MAX_BATCH_MS) break;
      await new Promise(setImmediate);
      turnBeganAt = performance.now();
    }
    decided.push(decideOne(row, nowAt));
  }
  return decided;
}

function decideOne(row: DueRow | UnreadableRow, nowAt: number): Decided {
  if ('unreadable' in row)
    return { kind: 'broken', row, reason: `its definition could not be read: ${row.unreadable}` };
  const decision = decideSafely(row, nowAt);
  return decision.kind === 'broken' ? { ...decision, row } : { kind: 'move', row, decision };
}

/**
 * Decides about one due schedule. If its rule or a policy can't be evaluated, the decision is `broken`, and this
 * schedule alone is paused.
 */
function decideSafely(row: DueRow, nowAt: number): Decision {
  try {
    return decideDue(row, nowAt);
  } catch (error) {
    return {
      kind: 'broken',
      reason: `the next occurrence could not be computed: ${(error as Error).message}`,
    };
  }
}
