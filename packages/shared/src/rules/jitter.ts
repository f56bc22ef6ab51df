/**
 * How long after its occurrence a run is due, from 0 to `maxJitterMs`. Hashed, not drawn: every worker that computes
 * it for the same occurrence gets the same answer.
 */
export function jitterMs(scheduleKey: string, occurrenceAt: number, maxJitterMs: number): number {
  if (maxJitterMs <= 0) return 0;
  const share = hash(`${scheduleKey}@${occurrenceAt}`) / 2 ** 32;
  return Math.floor(share * (maxJitterMs + 1));
}

/** FNV-1a, then Murmur's finalizer: keys that differ in their last digit must not end up next to each other. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
