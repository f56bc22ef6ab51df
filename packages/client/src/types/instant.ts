/** A point in time: a `Date`, or RFC 3339 text with `Z` or an offset. Answers always carry text in UTC. */
export type Instant = Date | string;

/** An ISO 8601 duration, such as `PT15M`. */
export type Duration = string;

/** Part of a list. */
export interface Page<T> {
  items: T[];
  /** Where the next page begins; null on the last. */
  nextCursor: string | null;
}

export interface PageQuery {
  /** Items to a page, up to 1,000. */
  limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}
