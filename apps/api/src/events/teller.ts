import { Digest } from './digest.js';
import { type EventBatch, textOf } from './event-batch.js';
import { type EventFilter, isWanted } from './event-filter.js';

/** How a listener wants its events: which ones, and whether singly or as digests. */
export interface Telling {
  filter: EventFilter | null;
  isDigest: boolean;
}

const DIGEST_EVERY_MS = 1_000;

/** Sends one listener its events: each event that it wants, or a digest of these events once a second. */
export class Teller {
  readonly #digest: Digest | null;
  readonly #timer: NodeJS.Timeout | null;

  constructor(
    private readonly write: (text: string) => void,
    private readonly telling: Telling,
  ) {
    this.#digest = telling.isDigest ? new Digest() : null;
    this.#timer = telling.isDigest ? setInterval(() => this.#flush(), DIGEST_EVERY_MS).unref() : null;
  }

  tell(batch: EventBatch): void {
    const { filter } = this.telling;
    if (!filter && !this.#digest) {
      this.write(batch.text);
      return;
    }
    const events = filter ? batch.events.filter((event) => isWanted(event, filter)) : batch.events;
    // Even a batch without a wanted event tells the listener the position to resume from.
    if (this.#digest && events.length > 0) this.#digest.add(events, batch.position);
    else if (!this.#digest?.hasEvents) this.write(textOf(events, batch.position));
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #flush(): void {
    const taken = this.#digest?.take();
    if (taken) this.write(textOf([taken.event], taken.position));
  }
}
