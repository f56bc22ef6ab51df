export type RunOrigin = 'rule' | 'trigger' | 'backfill';

export interface RunIdentity {
  scheduleId: number;
  occurrenceAt: number;
  origin: RunOrigin;
}

const LETTERS = { rule: 'r', trigger: 't', backfill: 'b' } as const;
const ORIGINS = { r: 'rule', t: 'trigger', b: 'backfill' } as const;
const PATTERN = /^run_([rtb])([0-9a-z]{1,11})_(-?[0-9a-z]{1,10})$/;

/** The public id of a run encodes its identity, so that no extra index is needed to find it. */
export function encodeRunId({ scheduleId, occurrenceAt, origin }: RunIdentity): string {
  return `run_${LETTERS[origin]}${scheduleId.toString(36)}_${occurrenceAt.toString(36)}`;
}

export function decodeRunId(text: string): RunIdentity | null {
  const match = PATTERN.exec(text);
  if (!match) return null;
  const identity = {
    scheduleId: Number.parseInt(match[2] as string, 36),
    occurrenceAt: Number.parseInt(match[3] as string, 36),
    origin: ORIGINS[match[1] as keyof typeof ORIGINS],
  };
  const isInstant = Math.abs(identity.occurrenceAt) <= 8.64e15;
  // Only the canonical spelling is valid: a receiver that deduplicates by id must never see two texts for one run.
  return isInstant && Number.isSafeInteger(identity.scheduleId) && encodeRunId(identity) === text
    ? identity
    : null;
}

/**
 * Returns the key by which a receiver recognises one attempt: `<run>-<attempt>-<scrambled epoch>`. The epoch is the
 * number of the lease under which the run was claimed. It is unique to a claim, so the key is unique. Every process
 * computes the same key, so it is not stored.
 */
export function attemptKey(runId: string, attempt: number, epoch: number): string {
  return `${runId}-${attempt}-${scramble(epoch)}`;
}

/**
 * Maps each epoch to another 64-bit number (splitmix64). The mapping is a bijection, so distinct epochs stay distinct,
 * but neighbouring epochs do not look alike.
 */
function scramble(epoch: number): string {
  let z = (BigInt(epoch) * 0x9e3779b97f4a7c15n) & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return (z ^ (z >> 31n)).toString(36);
}
const MASK = (1n << 64n) - 1n;
