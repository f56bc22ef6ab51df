import { triggerSchedule } from '@carillon/db';
import { useDatabase } from '@carillon/testkit';
import fc from 'fast-check';
import { it } from 'vitest';
import { SIMULATION_RUNS } from './config.js';
import { commands, edit } from './simulation/commands.js';
import { World } from './simulation/world.js';

const database = useDatabase();

it('after a random history of edits, pauses, worker crashes and clock jumps, a schedule has kept every promise of docs/architecture.md', {
  timeout: 60_000 + SIMULATION_RUNS * 3_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (history) => {
      const world = await World.create(database);
      await fc.asyncModelRun(() => ({ model: {}, real: world }), history);
      await world.checkAgenda();
      await world.endAllRuns();
      await world.checkAll();
    }),
    { numRuns: SIMULATION_RUNS },
  );
});

/** Each test from here on repeats a history in which a promise was once broken. */
it('queued runs of a schedule start after its overlap policy is changed to one that does not count open runs', async () => {
  const world = await World.create(database);
  world.now += 10_000;
  await triggerSchedule(database.pool, world.request);
  await edit(world, { rule: { every: 'PT10S' }, overlap: 'cancel' });
  await edit(world, { overlap: 'allow' });
  await world.endAllRuns();
  await world.checkAll();
});

it('if an edit makes a schedule a one-shot at an instant of the old rule that has not run yet, that instant gets one run', async () => {
  const world = await World.create(database);
  world.now += 60_000;
  await edit(world, { rule: { at: new Date(world.now).toISOString() } });
  await world.checkAgenda();
  await world.claim(5);
  await world.checkStep();
  await world.endAllRuns();
  await world.checkAll();
});
