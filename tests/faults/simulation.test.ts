import { useDatabase } from '@carillon/testkit';
import fc from 'fast-check';
import { it } from 'vitest';
import { commands } from './simulation/commands.js';
import { World } from './simulation/world.js';

const database = useDatabase();

/** More histories, and so much more time, by `pnpm faults`. */
const RUNS = Number(process.env.SIMULATION_RUNS ?? 25);

it('Whatever the history of edits, pauses, crashes and clock jumps, every promise holds', {
  timeout: 60_000 + RUNS * 3_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (history) => {
      const world = await World.create(database);
      await fc.asyncModelRun(() => ({ model: {}, real: world }), history);
      await world.settle();
      await world.check();
    }),
    { numRuns: RUNS },
  );
});
