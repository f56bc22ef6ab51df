import { readWatermark } from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import type { Pool } from 'pg';
import { catchUp, overflowAt } from './catch-up.js';
import { EventBatch } from './event-batch.js';
import { EventReader } from './event-reader.js';
import { type EventPreferences, EventSender } from './event-sender.js';
import type { StreamPosition } from './position.js';

const POLL_INTERVAL_MS = 300;
/**
 * Maximum bytes of new events that are buffered for a listener while it catches up. Beyond this, the listener gets an
 * overflow event instead.
 */
const MAX_BUFFERED_BYTES = 1_024 * 1_024;

/** A connection that events are written to. */
export interface Listener {
  /** Writes the text of one or more server-sent events. */
  write(text: string): void;
  /** Resolves when the client has read the buffered text; at once if little text is buffered. */
  drained(): Promise<void>;
  readonly isClosed: boolean;
}

/** A project with at least one listener. */
interface Channel {
  listeners: Set<(batch: EventBatch) => void>;
  reader: Promise<EventReader>;
  /**
   * Resolves when the previous catch-up is over. The listeners of a project catch up one after the other, to bound the
   * load on Postgres.
   */
  turn: Promise<void>;
}

/**
 * Sends the events of each project to its listeners. Postgres is polled once for all listeners of a project, and only
 * while there are any.
 */
export class EventBroadcaster {
  readonly #channels = new Map<number, Channel>();
  #isClosed = false;

  constructor(
    private readonly pool: Pool,
    private readonly clock: PostgresClock,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** The number of projects that are polled. */
  get size(): number {
    return this.#channels.size;
  }

  /**
   * Resolves when the first read for a project has succeeded. The caller must then subscribe in the same turn of the
   * event loop, because polling ends when the project has no listener.
   */
  async waitUntilReady(projectId: number): Promise<void> {
    await this.#channelOf(projectId).reader;
  }

  /** Sends a listener every event from now on. With `since`, the listener first gets the events since that position. */
  subscribe(
    projectId: number,
    { since, preferences }: { since: StreamPosition | null; preferences: EventPreferences },
    listener: Listener,
  ): { stop: () => void; caughtUp: Promise<void> } {
    const channel = this.#channelOf(projectId);
    const sender = new EventSender((text) => listener.write(text), preferences);
    let buffered: EventBatch[] | null = [];
    let bufferedBytes = 0;
    const receive = (batch: EventBatch) => {
      if (buffered === null) return sender.send(batch);
      bufferedBytes += batch.text.length;
      if (bufferedBytes <= MAX_BUFFERED_BYTES) buffered.push(batch);
    };
    channel.listeners.add(receive);
    const goLive = async () => {
      const { position } = await channel.reader;
      if (!since) sender.send(new EventBatch([], position));
      if (bufferedBytes > MAX_BUFFERED_BYTES) sender.send(new EventBatch([overflowAt(position)], position));
      else for (const batch of buffered ?? []) sender.send(batch);
      buffered = null;
    };
    const caughtUp = (
      since ? this.#catchUp(channel, since, { projectId, listener, sender }) : Promise.resolve()
    ).then(goLive);
    const stop = () => {
      channel.listeners.delete(receive);
      sender.stop();
    };
    return { stop, caughtUp };
  }

  close(): void {
    this.#isClosed = true;
    for (const { listeners } of this.#channels.values()) listeners.clear();
  }

  async #catchUp(
    channel: Channel,
    since: StreamPosition,
    { projectId, listener, sender }: { projectId: number; listener: Listener; sender: EventSender },
  ): Promise<void> {
    const before = channel.turn;
    let done = () => {};
    channel.turn = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await before;
      for await (const { events, position } of catchUp(this.pool, { projectId, since })) {
        if (listener.isClosed || this.#isClosed) return;
        sender.send(new EventBatch(events, position));
        await listener.drained();
        // Serializing a page of rows takes milliseconds. Let other requests run in between.
        await new Promise(setImmediate);
      }
    } finally {
      done();
    }
  }

  #channelOf(projectId: number): Channel {
    const known = this.#channels.get(projectId);
    if (known) return known;
    const nowAt = () => Math.floor(this.clock.now());
    const reader = readWatermark(this.pool, projectId).then((from) =>
      new EventReader(this.pool, projectId, from, nowAt).start(),
    );
    const channel: Channel = { listeners: new Set(), reader, turn: Promise.resolve() };
    this.#channels.set(projectId, channel);
    this.#follow(projectId, channel).catch(this.onError);
    return channel;
  }

  async #follow(projectId: number, channel: Channel): Promise<void> {
    try {
      await channel.reader;
      // Wait for the end of this turn of the event loop, in which the first listener subscribes.
      await new Promise(setImmediate);
      while (channel.listeners.size > 0 && !this.#isClosed) {
        await this.#pollOnce(await channel.reader, channel.listeners);
        await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS).unref());
      }
    } finally {
      this.#channels.delete(projectId);
    }
  }

  async #pollOnce(reader: EventReader, listeners: ReadonlySet<(batch: EventBatch) => void>): Promise<void> {
    try {
      const events = await reader.poll();
      if (events.length === 0) return;
      const batch = new EventBatch(events, reader.position);
      for (const receive of listeners) receive(batch);
    } catch (error) {
      // Postgres is away. The next successful poll reads the events that happened meanwhile.
      this.onError(error);
    }
  }
}
