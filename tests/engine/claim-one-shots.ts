import type { ClaimedRun } from '@carillon/db';
import { insertSchedules, type useDatabase, type useEngine } from '@carillon/testkit';

interface Stage {
  database: ReturnType<typeof useDatabase>;
  engine: ReturnType<typeof useEngine>;
  nowAt: number;
}

/** Functions that insert one-shots which are due at `nowAt`, and claim them together, under one lease. */
export function claimOneShots({ database, engine, nowAt }: Stage) {
  async function claim(count: number, changes: object = {}): Promise<ClaimedRun[]> {
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
  return {
    claim,
    claimOne: async (changes?: object) => (await claim(1, changes))[0] as ClaimedRun,
    claimTwo: async (changes?: object) => (await claim(2, changes)) as [ClaimedRun, ClaimedRun],
  };
}
