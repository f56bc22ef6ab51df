import type { Page, PageQuery } from './types/instant.js';

/**
 * A paged list. `for await` iterates over all items and requests pages as needed; `page()` requests a single page.
 */
export class Pages<T, P extends Page<T> = Page<T>> implements AsyncIterable<T> {
  readonly #fetchPage: (query: PageQuery) => Promise<P>;
  readonly #query: PageQuery;

  constructor(query: PageQuery, fetchPage: (query: PageQuery) => Promise<P>) {
    this.#query = query;
    this.#fetchPage = fetchPage;
  }

  /** Requests one page: the first one, or the page at a cursor. */
  page(cursor: string | undefined = this.#query.cursor): Promise<P> {
    return this.#fetchPage({ ...this.#query, cursor });
  }

  /** Iterates over pages. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let page = await this.page();
    yield page;
    while (page.nextCursor !== null) {
      page = await this.page(page.nextCursor);
      yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Returns the first `count` items. There is no `all()`, because a list may not fit into memory. */
  async take(count: number): Promise<T[]> {
    const taken: T[] = [];
    if (count <= 0) return taken;
    for await (const item of this) {
      taken.push(item);
      if (taken.length >= count) break;
    }
    return taken;
  }
}
