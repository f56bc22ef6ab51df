import type { CarillonEvent } from './event.js';
import { type EventBatch, formatEvents } from './event-batch.js';
import { EventDigest } from './event-digest.js';

/** The events that a listener wants. A field that is null accepts all. */
interface EventFilter {
  schedules: ReadonlySet<string> | null;
  types: ReadonlySet<string> | null;
  /** Statuses of runs. An event that is not about a run has no status, so it never matches. */
  statuses: ReadonlySet<string> | null;
}

/** How a listener wants its events: which ones, and whether singly or as digests. */
export interface EventPreferences {
  filter: EventFilter | null;
  isDigest: boolean;
}

const DIGEST_EVERY_MS = 1_000;

/** Sends one listener its events: each event that it wants, or a digest of these events once a second. */
export class EventSender {
  readonly #digest: EventDigest | null;
  readonly #timer: NodeJS.Timeout | null;

  constructor(
    private readonly write: (text: string) => void,
    private readonly preferences: EventPreferences,
  ) {
    this.#digest = preferences.isDigest ? new EventDigest() : null;
    this.#timer = preferences.isDigest ? setInterval(() => this.#flush(), DIGEST_EVERY_MS).unref() : null;
  }

  send(batch: EventBatch): void {
    const { filter } = this.preferences;
    if (!filter && !this.#digest) {
      this.write(batch.text);
      return;
    }
    const events = filter ? batch.events.filter((event) => isWanted(event, filter)) : batch.events;
    // Even a batch without a wanted event tells the listener the position to resume from.
    if (this.#digest && events.length > 0) this.#digest.add(events, batch.position);
    else if (!this.#digest?.hasEvents) this.write(formatEvents(events, batch.position));
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #flush(): void {
    const taken = this.#digest?.take();
    if (taken) this.write(formatEvents([taken.event], taken.position));
  }
}

/** An overflow is sent to every listener, because the listener may have missed events that it wanted. */
function isWanted({ type, data }: CarillonEvent, { schedules, types, statuses }: EventFilter): boolean {
  if (type === 'overflow') return true;
  if (types && !types.has(type)) return false;
  if (schedules && !schedules.has(String(data.scheduleId))) return false;
  return !statuses || (type.startsWith('run.') && statuses.has(String(data.status)));
}
