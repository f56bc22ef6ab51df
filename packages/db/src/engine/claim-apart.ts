import { isBadRow } from '../errors.js';

/**
 * Claims a batch in smaller and smaller parts, as long as a bad row makes the claim fail. The earliest rows are claimed
 * first, so each part that succeeds brings the bad row closer to the head. In the end the bad row is alone, and
 * `setAside` takes it out of the way.
 */
export async function claimApart<Claim>({
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
    return claimApart({ limit: Math.floor(limit / 2), claim, setAside });
  }
}
