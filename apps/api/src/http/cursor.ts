import { invalid } from './problem.js';

/**
 * Encodes a position as a cursor. Clients do not interpret it, so its content may change with a new version of
 * Carillon.
 */
export const encodeCursor = (position: string | number) => Buffer.from(`1:${position}`).toString('base64url');

export function decodeCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  // Base64 can encode one text in several ways. Only the canonical one is accepted.
  const isOurs = text.startsWith('1:') && encodeCursor(text.slice(2)) === cursor;
  // Postgres rejects NUL in text.
  if (!isOurs || text.includes('\0')) throw invalidCursor();
  return text.slice(2);
}

export const invalidCursor = () =>
  invalid([{ field: 'cursor', message: 'expected the nextCursor of a page' }]);

/** Reads the cursor of a list that is ordered by a numeric id. */
export function idInCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const id = Number(decodeCursor(cursor));
  if (!Number.isSafeInteger(id) || id < 0) throw invalidCursor();
  return id;
}

/**
 * Builds a page. The caller reads `limit + 1` rows: an extra row means that there is a next page. There is also a next
 * page if `isCut` is true, which means that the read stopped early because of its size.
 */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  positionOf: (item: T) => string | number,
  isCut = false,
) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = isCut || rows.length > limit;
  const nextCursor = hasMore && last !== undefined ? encodeCursor(positionOf(last)) : null;
  return { items, nextCursor };
}
