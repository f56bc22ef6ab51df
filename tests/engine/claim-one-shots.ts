import type { ClaimedRun } from '@carillon/db';
import { insertSchedules, type useDatabase, type useEngine } from '@carillon/testkit';

interface Stage {
  database: ReturnType<typeof useDatabase>;
  engine: ReturnType<typeof useEngine>;
  nowAt: number;
}

/** Inserts one-shots that are due at `nowAt` and claims them together, under one lease. */
export async function claimOneShots(
  { database, engine, nowAt }: Stage,
  count: number,
  changes: object = {},
): Promise<ClaimedRun[]> {
  const input = { rule: { at: new Date(nowAt).toISOString() }, ...changes };
  await insertSchedules(
    database,
    Array.from({ length: count }, () => input),
    { nowAt },
  );
  const runs = await engine.claim(nowAt);
  if (runs.length !== count) throw new Error(`${runs.length} of ${count} runs were claimed`);
  return runs;
}
