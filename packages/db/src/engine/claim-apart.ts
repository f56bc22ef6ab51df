import { isBadRow } from '../errors.js';
import type { Claim } from './claim.js';

/**
 * Claims a batch of rows. If a row makes the claim fail, tries again with half as many rows, until a part succeeds.
 * Each try takes the earliest rows, so the bad row moves nearer to the front from call to call. Once a part consists of
 * the bad row alone, `setAside` removes that row.
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
    // The part was smaller than the batch, so more rows are due, even if the part itself was not full.
    return { ...part, isFull: part.isFull || part.runs.length > 0 };
  }
}
