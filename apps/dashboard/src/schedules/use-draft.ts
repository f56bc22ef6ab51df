import type { Schedule } from '@carillon/client';
import { useEffect, useState } from 'react';
import { parseExactly } from '../api/exact-json.js';
import type { Draft } from './draft.js';

interface Stored {
  draft: Draft;
  /** The schedule as it was when the edit began; null for a new one. */
  base: Schedule | null;
}

const placeOf = (name: string) => `carillon.draft.${name}`;

/**
 * A draft that survives a reload of the tab, because it is stored in the session storage until it is saved or
 * discarded. The schedule as it was when the edit began is stored too, so that a change saved by another person is
 * found as a conflict.
 */
export function useDraft(name: string, initial: Draft, base: Schedule | null = null) {
  const [state, setState] = useState(() => {
    const stored = readStored(name);
    return { draft: { ...initial, ...stored?.draft }, isRestored: stored !== null };
  });
  useEffect(() => {
    const isChanged = JSON.stringify(state.draft) !== JSON.stringify(initial);
    if (isChanged) sessionStorage.setItem(placeOf(name), JSON.stringify({ draft: state.draft, base }));
    else sessionStorage.removeItem(placeOf(name));
  }, [state.draft, name, initial, base]);
  return {
    draft: state.draft,
    isRestored: state.isRestored,
    change: (change: Partial<Draft>) =>
      setState((before) => ({ ...before, draft: { ...before.draft, ...change } })),
    forget: () => sessionStorage.removeItem(placeOf(name)),
    reset: (to: Draft) => setState({ draft: to, isRestored: false }),
  };
}

/** Reads the schedule as it was when the edit of a stored draft began. */
export const readDraftBase = (name: string): Schedule | null => readStored(name)?.base ?? null;

function readStored(name: string): Stored | null {
  try {
    const stored = parseExactly(sessionStorage.getItem(placeOf(name)) ?? 'null') as Stored | null;
    return stored?.draft ? stored : null;
  } catch {
    return null;
  }
}
