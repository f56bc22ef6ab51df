/**
 * A set is a named group of schedules that one file, or one folder of files, describes. A schedule belongs to the set
 * that its tag `set:<name>` names, so every list and every bulk action can filter by it.
 */
const SET_TAG_PREFIX = 'set:';

export const isSetTag = (tag: string) => tag.startsWith(SET_TAG_PREFIX);

export const setTag = (name: string) => `${SET_TAG_PREFIX}${name}`;

/** The set that a schedule belongs to; null if it belongs to none. */
export function setOf(tags: readonly string[]): string | null {
  const tag = tags.find(isSetTag);
  return tag === undefined ? null : tag.slice(SET_TAG_PREFIX.length);
}
