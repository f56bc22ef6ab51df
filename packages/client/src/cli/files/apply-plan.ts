import type { Carillon } from '../../carillon.js';
import { explainError } from '../exit-code.js';
import { type FilePlan, isPending, type PlannedEntry, type PrunedEntry } from './file-plan.js';

export interface AppliedEntry {
  id: string;
  result: 'created' | 'restored' | 'changed' | 'kept' | 'cancelled' | 'failed';
  /** Null if nothing was written. */
  version: number | null;
  error: string | null;
}

const RESULTS = { create: 'created', restore: 'restored', change: 'changed' } as const;

/**
 * Carries out a plan, one schedule after the other. Each write names the version that the plan is based on, so the API
 * refuses it if the schedule has changed since. A failure does not stop the others.
 */
export async function applyPlan(client: Carillon, { entries, pruned }: FilePlan): Promise<AppliedEntry[]> {
  const applied: AppliedEntry[] = [];
  for (const entry of entries) applied.push(await applyEntry(client, entry));
  for (const entry of pruned) applied.push(await cancelEntry(client, entry));
  return applied;
}

async function applyEntry(client: Carillon, entry: PlannedEntry): Promise<AppliedEntry> {
  const { id, action, problem, version, schedule } = entry;
  if (problem !== null) return { id, result: 'failed', version, error: problem };
  if (!isPending(entry) || action === 'keep' || action === 'invalid')
    return { id, result: 'kept', version, error: null };
  const guard = version === null ? { createOnly: true } : { ifMatch: version };
  return attempt(id, async () => {
    const put = await client.schedules.put(id, schedule, guard);
    return { id, result: RESULTS[action], version: put.version, error: null };
  });
}

const cancelEntry = (client: Carillon, { id, version }: PrunedEntry): Promise<AppliedEntry> =>
  attempt(id, async () => {
    const cancelled = await client.schedules.cancel(id, { ifMatch: version });
    return { id, result: 'cancelled', version: cancelled.version, error: null };
  });

async function attempt(id: string, write: () => Promise<AppliedEntry>): Promise<AppliedEntry> {
  try {
    return await write();
  } catch (error) {
    return { id, result: 'failed', version: null, error: explainError(error) };
  }
}
