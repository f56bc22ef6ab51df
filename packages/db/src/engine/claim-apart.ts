import { isBadRow } from '../errors.js';
import type { Claim } from './claim.js';

/**
 * Claims a batch of rows. If one bad row makes the claim of the whole batch fail, tries again with the first half of
 * the rows, until a part succeeds. The rows of that part are then claimed, so in the next call the bad row is nearer to
 * the front. Once a part consists of the bad row alone, `setAside` removes that row.
 */
export async function claimApart({
  limit,
  claim,
  setAside,
}: {
  limit: number;
  claim: (limit: number) => Promise<Claim>;
  setAside: (error: Error) => Promise<Claim>;
}): Promise<Claim> {
  try {
    return await claim(limit);
  } catch (error) {
    if (!isBadRow(error)) throw error;
    if (limit <= 1) return setAside(error as Error);
    const part = await claimApart({ limit: Math.floor(limit / 2), claim, setAside });
    // This part tried fewer rows than the batch may hold. So more rows may be due, even if the part reports that it was
    // not full.
    return { ...part, isFull: part.isFull || part.runs.length > 0 };
  }
}
