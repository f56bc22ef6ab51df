import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';
/** The time zone in which the page shows times: the schedule's own zone, the reader's zone, or UTC. */
export type ZoneChoice = 'schedule' | 'mine' | 'utc';

interface Preferences {
  theme: Theme;
  zone: ZoneChoice;
}

const STORED_AS = 'carillon.preferences';
const listeners = new Set<() => void>();
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
let current: Preferences = { theme: 'system', zone: 'schedule', ...readStored() };

function readStored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(STORED_AS) ?? '{}');
  } catch {
    return {};
  }
}

export function changePreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(STORED_AS, JSON.stringify(current));
  applyTheme();
  for (const listener of listeners) listener();
}

export const isDark = () => current.theme === 'dark' || (current.theme === 'system' && prefersDark.matches);

/**
 * Sets the theme on the root element. Called before the first paint, and when the system or the user changes the theme.
 */
export function applyTheme(): void {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
}
prefersDark.addEventListener('change', () => {
  applyTheme();
  for (const listener of listeners) listener();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => current);

/** The time zone in which to show times. `ownZone` is the zone of the schedule that the times belong to. */
export function useZone(ownZone?: string): string {
  const { zone } = usePreferences();
  if (zone === 'utc') return 'UTC';
  return zone === 'schedule' && ownZone !== undefined ? ownZone : MY_ZONE;
}

export const MY_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
