import { useSyncExternalStore } from 'react';

// The clock of Postgres decides what is due, so the page shows that time: the clock of the browser plus the last
// measured offset.
let offsetMs = 0;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Estimates how far the clock of the browser is off, from the time of Postgres in a response that has just arrived. */
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

/** The time by the clock of Postgres. It is updated once a second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
