import type { Page, PageQuery } from './types/instant.js';

/**
 * A list that is longer than one answer. `for await` goes through all of its items, asking for pages as they are needed;
 * `page()` asks for one.
 */
export class Pages<T, P extends Page<T> = Page<T>> implements AsyncIterable<T> {
  readonly #ask: (query: PageQuery) => Promise<P>;
  readonly #query: PageQuery;

  constructor(query: PageQuery, ask: (query: PageQuery) => Promise<P>) {
    this.#query = query;
    this.#ask = ask;
  }

  /** One page: the first, or the one that a cursor names. */
  page(cursor: string | undefined = this.#query.cursor): Promise<P> {
    return this.#ask({ ...this.#query, cursor });
  }

  /** Page after page. */
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

  /** The first items, as an array. A limit is asked for: the list may be longer than memory. */
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
