import { editUser, handleNextEvent } from '@carillon/db';
import { useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { useUsers } from './users.js';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;
const users = useUsers({ pool: () => database.pool, projectId });

const CREATED_AT = Date.parse('2026-01-01T00:00:00Z');
const DUE_AT = Date.parse('2026-02-10T09:00:00Z');
const NEW_DATE = { dateOfBirth: '1990-02-20', firstName: 'Augusta' };
const ROUNDS = 70;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Lets the claim race with the handling of the edit. With order 0 the claim comes first, with order 1 the handling.
 * With any other order both start within milliseconds of each other.
 */
async function inSomeOrder<C, H>(
  order: number,
  { claim, handle }: { claim: () => Promise<C>; handle: () => Promise<H> },
): Promise<{ claimed: C; handled: H }> {
  if (order === 0) return { claimed: await claim(), handled: await handle() };
  if (order === 1) {
    const handled = await handle();
    return { claimed: await claim(), handled };
  }
  const headStartMs = order - 5;
  const [claimed, handled] = await Promise.all([
    pause(Math.max(0, headStartMs)).then(claim),
    pause(Math.max(0, -headStartMs)).then(handle),
  ]);
  return { claimed, handled };
}

/**
 * Creates and edits a user. Then the claim of the birthday's run competes with the handling of the edit. The round
 * decides which of them starts first.
 */
async function race(round: number, handledAt: number) {
  const key = await users.create({ dateOfBirth: '1990-02-10', timezone: 'UTC' }, CREATED_AT);
  const { id } = await users.birthday(key);
  await editUser(database.pool, { projectId, key, actor: 'test', now: CREATED_AT }, NEW_DATE);
  const { claimed, handled } = await inSomeOrder(round % 9, {
    claim: () => engine.claim(DUE_AT),
    handle: () => handleNextEvent(database.pool, handledAt),
  });
  // The edit wrote two domain events, one for the date and one for the name.
  const rest = await users.handle(handledAt);
  const reports = [...(handled?.kind === 'handled' ? [handled.report] : []), ...rest];
  // If the birthday was due when the first event was handled, and the claim had not come yet, the handling has queued a
  // run for the birthday. The second claim starts that run.
  const runs = [...claimed, ...(await engine.claim(DUE_AT))].filter((run) => run.scheduleId === id);
  for (const run of runs) await engine.succeed(run, DUE_AT);
  const sum = (count: (report: (typeof reports)[number]) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  return {
    runs,
    rescheduled: sum(({ rescheduled }) => rescheduled),
    processing: sum(({ left }) => left.filter(({ why }) => why === 'processing').length),
    next: await users.next(key),
    kept: await engine.runsOf(id),
  };
}

describe('Claim and edit race', () => {
  it('a birthday that is due while its user is edited is either claimed unchanged or moved, never both and never neither', async () => {
    const seen = { claimed: 0, moved: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      // The edit is handled a millisecond before the birthday is due. The claim or the handler wins, whichever locks
      // the row first.
      const { runs, rescheduled, processing, next, kept } = await race(round, DUE_AT - 1);
      if (runs.length === 1) {
        seen.claimed++;
        expect(runs[0]?.payload).toContain('Ada Lovelace');
        expect({ rescheduled, processing, next }).toEqual({
          rescheduled: 0,
          processing: 1,
          next: '2027-02-20T09:00:00.000Z',
        });
      } else {
        seen.moved++;
        expect(runs).toEqual([]);
        expect({ rescheduled, processing, next }).toEqual({
          rescheduled: 1,
          processing: 0,
          next: '2026-02-20T09:00:00.000Z',
        });
      }
      expect(kept.length).toBe(runs.length);
    }
    // Both outcomes must have happened. Otherwise there was no race.
    expect(seen.claimed).toBeGreaterThan(0);
    expect(seen.moved).toBeGreaterThan(0);
  });

  it('a user who is edited when the birthday is due is greeted once this year, and next year on the new date', async () => {
    for (let round = 0; round < ROUNDS / 2; round++) {
      const { runs, next, kept } = await race(round, DUE_AT);
      expect(runs.length).toBe(1);
      expect(kept.map(({ status }) => status)).toEqual(['succeeded']);
      expect(next).toBe('2027-02-20T09:00:00.000Z');
    }
  });
});
