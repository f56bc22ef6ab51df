const SET_TAG_PREFIX = 'set:';

/**
 * The set that manages a schedule, by its tag `set:<name>`; null if there is none. Files describe the schedules of a
 * set, so the next `carillon apply` overwrites changes that were made by hand.
 */
export function setOfSchedule({ tags }: { tags: readonly string[] }): string | null {
  const tag = tags.find((each) => each.startsWith(SET_TAG_PREFIX));
  return tag === undefined ? null : tag.slice(SET_TAG_PREFIX.length);
}
