const SET_TAG_PREFIX = 'set:';

/**
 * The name of the set that a schedule belongs to, from its tag `set:<name>`; null if there is none. A set is described
 * in files, so the next `carillon apply` overwrites changes of its schedules that were made by hand.
 */
export function setOfSchedule({ tags }: { tags: readonly string[] }): string | null {
  const tag = tags.find((each) => each.startsWith(SET_TAG_PREFIX));
  return tag === undefined ? null : tag.slice(SET_TAG_PREFIX.length);
}
