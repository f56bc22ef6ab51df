import { useSyncExternalStore } from 'react';

// Scripts can't read the session cookie, so this mark in the local storage says that there is a session. Without the
// mark, the sign-in page appears at once, and no request is sent only to be refused.
const STORED_AS = 'carillon.session';
const listeners = new Set<() => void>();

export function markSession(hasSession: boolean): void {
  if (hasSession) localStorage.setItem(STORED_AS, '1');
  else localStorage.removeItem(STORED_AS);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  // The browser sends this event when another tab signs in or out.
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
};

export const useHasSession = (): boolean =>
  useSyncExternalStore(subscribe, () => localStorage.getItem(STORED_AS) !== null);
