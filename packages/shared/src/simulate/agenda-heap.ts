/**
 * An event of the simulation at an instant. Events of the same instant are ordered by their rank, then by when they
 * were added.
 */
export interface TimedEntry {
  at: number;
  rank: number;
}

/** A binary heap: takes events out in the order of their time. */
export class AgendaHeap<E extends TimedEntry> {
  readonly #entries: { event: E; order: number }[] = [];
  #added = 0;

  get nextAt(): number | null {
    return this.#entries[0]?.event.at ?? null;
  }

  add(event: E): void {
    const entries = this.#entries;
    let index = entries.push({ event, order: this.#added++ }) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  take(): E | undefined {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (!first || !last || entries.length === 0) return first?.event;
    entries[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      let least = index;
      if (left < entries.length && this.#isBefore(left, least)) least = left;
      if (left + 1 < entries.length && this.#isBefore(left + 1, least)) least = left + 1;
      if (least === index) return first.event;
      this.#swap(index, least);
      index = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const first = this.#entries[a];
    const second = this.#entries[b];
    if (!first || !second) return false;
    if (first.event.at !== second.event.at) return first.event.at < second.event.at;
    if (first.event.rank !== second.event.rank) return first.event.rank < second.event.rank;
    return first.order < second.order;
  }

  #swap(a: number, b: number): void {
    const entries = this.#entries;
    [entries[a], entries[b]] = [entries[b] as (typeof entries)[0], entries[a] as (typeof entries)[0]];
  }
}
