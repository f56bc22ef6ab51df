import type { Pages } from '../pages.js';
import type { Calls, ChangeOptions } from '../transport/calls.js';
import { pathSegment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type { PageQuery } from '../types/instant.js';

/** Resources of one kind that can be created, read, listed and deleted. */
export class Collection<Item, Input, Deleted> {
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
    return this.calls.read(this.at(id), undefined, options);
  }

  list(query?: PageQuery, options?: CallOptions): Pages<Item> {
    return this.calls.pages(this.#path, { ...query }, options);
  }

  delete(id: string, options?: ChangeOptions): Promise<Deleted> {
    return this.calls.change({ method: 'DELETE', path: this.at(id) }, options);
  }

  protected at(id: string): string {
    return `${this.#path}/${pathSegment(id)}`;
  }
}

/** Resources that can also be edited. */
export class EditableCollection<Item, Input, Patch, Deleted> extends Collection<Item, Input, Deleted> {
  /** Edits a resource. Omitted fields keep their value. */
  update(id: string, patch: Patch, options?: ChangeOptions): Promise<Item> {
    return this.calls.change({ method: 'PUT', path: this.at(id), body: patch }, options);
  }
}
