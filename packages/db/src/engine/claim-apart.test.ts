import { expect, it } from 'vitest';
import { type Claim, type ClaimedRun, NOTHING_CLAIMED } from './claim.js';
import { claimApart } from './claim-apart.js';

const badRow = Object.assign(new Error('the value is out of range'), { code: '22003' });

/**
 * A stand-in for the claim transaction. It takes rows from the front of the list, and fails as a whole if one of them
 * is bad.
 */
async function claimFrom(rows: string[], limit: number): Promise<Claim> {
  let tried: string[] = [];
  return claimApart({
    limit,
    claim: async (part) => {
      tried = rows.slice(0, part);
      if (tried.includes('bad')) throw badRow;
      rows.splice(0, part);
      const runs = tried.map((scheduleKey) => ({ scheduleKey }) as ClaimedRun);
      return { ...NOTHING_CLAIMED, runs, isFull: tried.length === part };
    },
    setAside: async () => {
      rows.splice(0, 1);
      return { ...NOTHING_CLAIMED, isFull: true };
    },
  });
}

const keysOf = ({ runs }: Claim) => runs.map(({ scheduleKey }) => scheduleKey);

it('if Postgres refuses a row in a batch, the claim takes only rows before this row, and reports that more rows may be due', async () => {
  const rows = ['a', 'b', 'c', 'bad', 'd'];
  const first = await claimFrom(rows, 5);
  expect(keysOf(first)).toEqual(['a', 'b']);
  expect(first.isFull).toBe(true);
  expect(rows).toEqual(['c', 'bad', 'd']);

  // The part that succeeds claims one row, fewer than its limit of two, so it reports that it was not full. But rows of
  // the other half of the batch may still be due.
  const short = await claimApart({
    limit: 4,
    claim: async (part) => {
      if (part > 2) throw badRow;
      return { ...NOTHING_CLAIMED, runs: [{ scheduleKey: 'e' } as ClaimedRun] };
    },
    setAside: async () => NOTHING_CLAIMED,
  });
  expect(short.isFull).toBe(true);
});

it('if Postgres refuses the first row of a batch, the claim sets this row aside, and the next claim takes the rows after it', async () => {
  const rows = ['bad', 'a', 'b'];
  expect(await claimFrom(rows, 3)).toEqual({ ...NOTHING_CLAIMED, isFull: true });
  expect(keysOf(await claimFrom(rows, 3))).toEqual(['a', 'b']);
});
