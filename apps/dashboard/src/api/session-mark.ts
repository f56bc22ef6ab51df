import { useSyncExternalStore } from 'react';

// Scripts can't see the session cookie. This mark in the local storage says that there is a session. So a page without
// a session shows the sign-in page at once, instead of asking the API and being refused.
const STORED_AS = 'carillon.session';
const listeners = new Set<() => void>();

export function markSession(hasSession: boolean): void {
  if (hasSession) localStorage.setItem(STORED_AS, '1');
  else localStorage.removeItem(STORED_AS);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  // This event comes when another tab signs in or out.
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
};

export const useHasSession = (): boolean =>
  useSyncExternalStore(subscribe, () => localStorage.getItem(STORED_AS) !== null);
