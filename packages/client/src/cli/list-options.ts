import type { Pages } from '../pages.js';
import type { Options, Values } from './command.js';
import { readCount } from './schedule-options.js';

/** Options of list commands. */
export const LIST_OPTIONS = {
  limit: { type: 'string', short: 'n', value: '<count>', about: 'maximum number of rows (default 50)' },
  cursor: { type: 'string', value: '<cursor>', about: 'continue after a previous page' },
  all: { type: 'boolean', about: 'all rows' },
} as const satisfies Options;

const DEFAULT_LIMIT = 50;
const MAX_PAGE_SIZE = 1_000;

export interface ListPage<T> {
  items: T[];
  nextCursor: string | null;
}

export function pageQuery({ limit, cursor, all }: Values<typeof LIST_OPTIONS>) {
  return { limit: all ? MAX_PAGE_SIZE : (readCount(limit, 'limit') ?? DEFAULT_LIMIT), cursor };
}

/** Reads one page, or the whole list with --all. */
export async function readList<T>(
  pages: Pages<T>,
  { all }: Values<typeof LIST_OPTIONS>,
): Promise<ListPage<T>> {
  if (!all) return pages.page();
  const items: T[] = [];
  for await (const item of pages) items.push(item);
  return { items, nextCursor: null };
}

/** A note that there are more rows. */
export const moreNote = ({ nextCursor }: ListPage<unknown>) =>
  nextCursor === null ? [] : [`There are more rows: continue with --cursor ${nextCursor}, or use --all.`];
