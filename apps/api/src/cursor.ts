import { invalid } from './problem.js';

/** Cursors are opaque: what is in them is ours to change. */
export const encodeCursor = (position: string | number) => Buffer.from(`1:${position}`).toString('base64url');

export function decodeCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  // Only what we would have written ourselves: base64 has many spellings.
  if (!text.startsWith('1:') || encodeCursor(text.slice(2)) !== cursor) {
    throw invalid([{ field: 'cursor', message: 'expected the nextCursor of a page' }]);
  }
  return text.slice(2);
}

/** For lists in the order of a numeric id. */
export function idInCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const id = Number(decodeCursor(cursor));
  if (!Number.isSafeInteger(id) || id < 0)
    throw invalid([{ field: 'cursor', message: 'expected the nextCursor of a page' }]);
  return id;
}

/** One more than a page was asked for: whether it came tells whether there is a next. */
export function pageOf<T>(found: readonly T[], limit: number, positionOf: (item: T) => string | number) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = found.length > limit && last !== undefined ? encodeCursor(positionOf(last)) : null;
  return { items, nextCursor };
}
