import { randomUUID } from 'node:crypto';
import type { CarillonEvent } from './event.js';
import type { StreamPosition } from './position.js';

/** Maximum number of events that one digest shows in full. */
const MAX_EVENTS_SHOWN = 20;
/** The order of the samples in a digest, by type. All other types come last. */
const RANKED_TYPES = [
  ['overflow', 'run.failed', 'run.retrying'],
  ['run.skipped', 'run.cancelled', 'schedule.changed'],
];
const RANK_OF_OTHERS = RANKED_TYPES.length;
const RANKS = new Map(RANKED_TYPES.flatMap((types, rank) => types.map((type) => [type, rank])));
const noSamples = (): CarillonEvent[][] => [...RANKED_TYPES.map(() => []), []];

/** Gathers events into one message of bounded size: the number of events of each type, and a few events in full. */
export class EventDigest {
  #counts = new Map<string, number>();
  #samplesByRank = noSamples();
  #position: StreamPosition | null = null;

  get hasEvents(): boolean {
    return this.#position !== null;
  }

  add(events: readonly CarillonEvent[], position: StreamPosition): void {
    this.#position = position;
    for (const event of events) {
      this.#counts.set(event.type, (this.#counts.get(event.type) ?? 0) + 1);
      const samples = this.#samplesByRank[RANKS.get(event.type) ?? RANK_OF_OTHERS];
      if (samples && samples.length < MAX_EVENTS_SHOWN) samples.push(event);
    }
  }

  /** The message about everything since the last call; null if nothing happened. */
  take(): { event: CarillonEvent; position: StreamPosition } | null {
    if (this.#position === null) return null;
    const data = {
      id: `digest.${randomUUID()}`,
      total: [...this.#counts.values()].reduce((sum, count) => sum + count, 0),
      counts: Object.fromEntries(this.#counts),
      samples: this.#samplesByRank.flat().slice(0, MAX_EVENTS_SHOWN),
    };
    const taken = { event: { type: 'digest', data }, position: this.#position };
    this.#counts = new Map();
    this.#samplesByRank = noSamples();
    this.#position = null;
    return taken;
  }
}
