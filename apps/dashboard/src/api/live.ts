import type { CarillonEvent } from '@carillon/client';
import { useSyncExternalStore } from 'react';
import { apiPath } from './carillon.js';

export type LiveState = 'connecting' | 'live' | 'lost' | 'held';
type Message = { kind: 'opened' } | { kind: 'lost' } | { kind: 'event'; event: CarillonEvent };

/**
 * The types of events in this stream: a digest of the events of a second, and `overflow` if too many events were missed
 * to send them.
 */
const TYPES = ['digest', 'overflow'];
const REOPEN_AFTER_MS = 3_000;

/**
 * The stream of events from the API. Only one tab of the browser opens it: the tab that holds a Web Lock. That tab
 * passes the events on to the other tabs. A browser without Web Locks (plain http on another host) opens a stream in
 * each tab.
 */
class Live {
  state: LiveState = 'connecting';
  readonly #listeners = new Set<() => void>();
  readonly #readers = new Set<(event: CarillonEvent) => void>();
  readonly #onOpened = new Set<() => void>();
  readonly #channel = new BroadcastChannel('carillon.events');
  #stop: (() => void) | null = null;
  #isHeld = false;
  /** The state of the stream, also while a person has switched updates of the page off (`held`). */
  #streamState: LiveState = 'live';

  start(): void {
    if (this.#stop) return;
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#take(data);
    const ended = new AbortController();
    this.#stop = () => ended.abort();
    const hold = () => this.#openStream(ended.signal);
    if (navigator.locks === undefined) void hold();
    else navigator.locks.request('carillon.events', { signal: ended.signal }, hold).catch(() => {});
    // A tab without the lock learns the state of the stream from the next message of the tab that has it. If no message
    // comes within three seconds, it assumes that the stream is live.
    setTimeout(() => this.state === 'connecting' && this.#setState('live'), 3_000);
  }

  stop(): void {
    this.#stop?.();
    this.#stop = null;
    this.#setState('connecting');
  }

  /** Switches updates of the page off (true) while a person reads it, and on again (false). */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#setState(isHeld ? 'held' : this.#streamState);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  onEvent(reader: (event: CarillonEvent) => void): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /**
   * Calls the listener each time the stream opens. The page must then refresh its data, because it has missed earlier
   * events.
   */
  onOpened(listener: () => void): () => void {
    this.#onOpened.add(listener);
    return () => this.#onOpened.delete(listener);
  }

  #openStream(ended: AbortSignal): Promise<void> {
    const send = (message: Message) => {
      this.#take(message);
      this.#channel.postMessage(message);
    };
    let source: EventSource;
    const open = () => {
      if (ended.aborted) return;
      source = new EventSource(`${apiPath}/v1/events?digest=1s`);
      source.onopen = () => send({ kind: 'opened' });
      source.onerror = () => {
        send({ kind: 'lost' });
        // The browser reconnects by itself after a broken connection, but not after an error response, such as 503 from
        // a proxy.
        if (source.readyState === EventSource.CLOSED) setTimeout(open, REOPEN_AFTER_MS);
      };
      for (const type of TYPES) {
        source.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
          const event = { type, data: JSON.parse(data), lastEventId } as CarillonEvent;
          send({ kind: 'event', event });
        });
      }
    };
    open();
    return new Promise((resolve) => {
      ended.addEventListener('abort', () => {
        source.close();
        resolve();
      });
    });
  }

  #take(message: Message): void {
    const state = message.kind === 'lost' ? 'lost' : 'live';
    this.#streamState = state;
    if (this.#isHeld) return;
    if (this.state !== state) this.#setState(state);
    if (message.kind === 'opened') for (const listener of this.#onOpened) listener();
    if (message.kind === 'event') for (const reader of this.#readers) reader(message.event);
  }

  #setState(state: LiveState): void {
    this.state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const live = new Live();
export const useLiveState = (): LiveState => useSyncExternalStore(live.subscribe, () => live.state);
