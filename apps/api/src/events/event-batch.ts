import type { CarillonEvent } from './event.js';
import { encodePosition, type StreamPosition } from './position.js';

/**
 * The events that one poll of Postgres has found, and the position after them. All listeners share one copy of the
 * text.
 */
export class EventBatch {
  #text: string | null = null;

  constructor(
    readonly events: readonly CarillonEvent[],
    readonly position: StreamPosition,
  ) {}

  /** The text is composed once, when the first listener needs it. */
  get text(): string {
    this.#text ??= formatEvents(this.events, this.position);
    return this.#text;
  }
}

/**
 * Formats events as server-sent events. Only the last event carries the new position, so a listener that disconnects
 * within the batch gets the whole batch again.
 */
export function formatEvents(events: readonly CarillonEvent[], position: StreamPosition): string {
  const id = `id: ${encodePosition(position)}\n`;
  if (events.length === 0) return `${id}\n`;
  const last = events.length - 1;
  return events
    .map(({ type, data }, i) => `${i === last ? id : ''}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('');
}
