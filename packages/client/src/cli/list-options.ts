import type { Pages } from '../pages.js';
import type { Options, Values } from './command.js';
import { count } from './schedule-options.js';

/** How much of a list. */
export const LIST_OPTIONS = {
  limit: { type: 'string', short: 'n', value: '<count>', about: 'so many at the most; 50 unless said' },
  cursor: { type: 'string', value: '<cursor>', about: 'go on where a list ended' },
  all: { type: 'boolean', about: 'all of them, page after page' },
} as const satisfies Options;

const SHOWN = 50;
const LARGEST_PAGE = 1_000;

export interface Listed<T> {
  items: T[];
  nextCursor: string | null;
}

export function pageQuery({ limit, cursor, all }: Values<typeof LIST_OPTIONS>) {
  return { limit: all ? LARGEST_PAGE : (count(limit, 'limit') ?? SHOWN), cursor };
}

/** One page, or all that there is. */
export async function readList<T>(pages: Pages<T>, { all }: Values<typeof LIST_OPTIONS>): Promise<Listed<T>> {
  if (!all) return pages.page();
  const items: T[] = [];
  for await (const item of pages) items.push(item);
  return { items, nextCursor: null };
}

/** That there is more, and how to get it. */
export const moreNote = ({ nextCursor }: Listed<unknown>) =>
  nextCursor === null ? [] : [`There are more: go on with --cursor ${nextCursor}, or give --all.`];
