/**
 * The delay between an occurrence and its due time, from 0 to `maxJitterMs`. It is a hash and not a random number, so
 * that each worker computes the same delay for the same occurrence.
 */
export function jitterMs(scheduleKey: string, occurrenceAt: number, maxJitterMs: number): number {
  if (maxJitterMs <= 0) return 0;
  const share = hash(`${scheduleKey}@${occurrenceAt}`) / 2 ** 32;
  return Math.floor(share * (maxJitterMs + 1));
}

/** FNV-1a with Murmur's finalizer, so that keys which differ only in their last digit spread over the whole range. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
