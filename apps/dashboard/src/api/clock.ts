import { useSyncExternalStore } from 'react';

// Postgres's clock decides what is due, so the page counts by it: the reader's clock plus the offset last measured.
let offsetMs = 0;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Takes over the time that Postgres had when an answer arrived. */
export function setServerTime(at: string): void {
  offsetMs = Date.parse(at) - Date.now();
}

export const serverNow = (): number => Date.now() + offsetMs;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = serverNow();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time by Postgres's clock, once a second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
