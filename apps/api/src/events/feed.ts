import { readWatermark, type Watermark } from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import type { Pool } from 'pg';
import type { CarillonEvent } from './event.js';
import { Tail } from './tail.js';

const LOOK_EVERY_MS = 300;
/** Looks in a row that did not keep up before the rest is given up. */
const MOST_BEHIND = 4;

export interface Batch {
  events: CarillonEvent[];
  /** Where to go on after all of them. */
  position: Watermark;
}

type Listener = (batch: Batch) => void;

/** What happens in each project, looked at only while somebody listens, once for all who do. */
export class Feed {
  readonly #live = new Map<number, { listeners: Set<Listener>; tail: Promise<Tail> }>();
  #isClosed = false;

  constructor(
    private readonly pool: Pool,
    private readonly clock: PostgresClock,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Tells of what happens from now on; after `since`, first of what has happened meanwhile. Answers how to stop. */
  async listen(projectId: number, since: Watermark | null, listener: Listener): Promise<() => void> {
    const live = this.#liveFor(projectId);
    const held: Batch[] = [];
    let deliver: Listener = (batch) => held.push(batch);
    const listening: Listener = (batch) => deliver(batch);
    live.listeners.add(listening);
    const stop = () => live.listeners.delete(listening);
    try {
      if (since) await this.#catchUp(this.#tailFrom(projectId, since), listener);
      else listener({ events: [], position: (await live.tail).position });
    } catch (error) {
      stop();
      throw error;
    }
    for (const batch of held) listener(batch);
    deliver = listener;
    return stop;
  }

  close(): void {
    this.#isClosed = true;
    for (const { listeners } of this.#live.values()) listeners.clear();
  }

  #liveFor(projectId: number) {
    const known = this.#live.get(projectId);
    if (known) return known;
    const tail = readWatermark(this.pool, projectId).then((from) => this.#tailFrom(projectId, from));
    const live = { listeners: new Set<Listener>(), tail };
    this.#live.set(projectId, live);
    this.#follow(projectId).catch(this.onError);
    return live;
  }

  #tailFrom(projectId: number, from: Watermark): Tail {
    return new Tail(this.pool, projectId, from, this.clock.now());
  }

  async #follow(projectId: number): Promise<void> {
    const live = this.#live.get(projectId);
    if (!live) return;
    try {
      // The first listener joins in this turn of the event loop.
      await new Promise(setImmediate);
      while (live.listeners.size > 0 && !this.#isClosed) {
        await this.#lookOnce(await live.tail, live.listeners);
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
      }
    } finally {
      this.#live.delete(projectId);
    }
  }

  async #lookOnce(tail: Tail, listeners: ReadonlySet<Listener>): Promise<void> {
    try {
      const { events } = await tail.look();
      if (events.length === 0) return;
      for (const listener of listeners) listener({ events, position: tail.position });
    } catch (error) {
      // Postgres is away: the next look finds what happened meanwhile.
      this.onError(error);
    }
  }

  async #catchUp(tail: Tail, listener: Listener): Promise<void> {
    for (let looks = 0; looks < MOST_BEHIND; looks++) {
      const { events, isBehind } = await tail.look();
      listener({ events, position: tail.position });
      if (!isBehind) return;
    }
    const data = {
      id: `overflow.${tail.position.epoch}`,
      detail: 'more has happened than can be told; read /v1/runs',
    };
    listener({ events: [{ type: 'overflow', data }], position: tail.position });
  }
}
