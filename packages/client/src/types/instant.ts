/** A point in time: a `Date`, or RFC 3339 text with `Z` or an offset. Responses always hold text in UTC. */
export type Instant = Date | string;

/** An ISO 8601 duration, such as `PT15M`. */
export type Duration = string;

/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null;
}

export interface PageQuery {
  /** Items per page, up to 1,000. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}
