import type { Pages } from '../pages.js';
import type { Calls, ChangeOptions } from '../transport/calls.js';
import { segment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { PageQuery } from '../types/instant.js';

/** Things of one kind that can be made, read, changed and deleted. */
export class Collection<Item, Input, Patch = Partial<Input>, Deleted = Item> {
  protected readonly calls: Calls;
  readonly #path: string;

  constructor(calls: Calls, path: string) {
    this.calls = calls;
    this.#path = path;
  }

  create(input: Input, options?: ChangeOptions): Promise<Item> {
    return this.calls.post(this.#path, input, options);
  }

  get(id: string, options?: CallOptions): Promise<Item> {
    return this.calls.read(this.#at(id), undefined, options);
  }

  list(query?: PageQuery, options?: CallOptions): Pages<Item> {
    return this.calls.pages(this.#path, { ...query }, options);
  }

  /** What is left out stays. */
  update(id: string, patch: Patch, options?: CallOptions): Promise<Item> {
    return this.calls.change({ method: 'PUT', path: this.#at(id), body: patch }, options);
  }

  delete(id: string, options?: CallOptions): Promise<Deleted> {
    return this.calls.change({ method: 'DELETE', path: this.#at(id) }, options);
  }

  #at(id: string): string {
    return `${this.#path}/${segment(id)}`;
  }
}
