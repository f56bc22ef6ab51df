const SET_TAG_PREFIX = 'set:';

/**
 * The set that manages a schedule, by its tag `set:<name>`; null if there is none. A set is described by files, and the next
 * `carillon apply` overwrites edits by hand.
 */
export function setOfSchedule({ tags }: { tags: readonly string[] }): string | null {
  const tag = tags.find((each) => each.startsWith(SET_TAG_PREFIX));
  return tag === undefined ? null : tag.slice(SET_TAG_PREFIX.length);
}
