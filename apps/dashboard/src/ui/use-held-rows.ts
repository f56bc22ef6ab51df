import { useMemo, useState } from 'react';

/**
 * Keeps a list still while a person reads it. New rows wait behind a button such as "3 new" instead of pushing the
 * others down. Rows that are already shown still update in place.
 */
export function useHeldRows<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  listKey: string,
  isLoaded: boolean,
) {
  const [held, setHeld] = useState<{ listKey: string; known: ReadonlySet<string> } | null>(null);
  const keys = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  if (isLoaded && held?.listKey !== listKey) setHeld({ listKey, known: new Set(keys) });
  const known = held?.listKey === listKey ? held.known : null;
  const lastKnown = known ? keys.findLastIndex((key) => known.has(key)) : -1;
  // A row above the last known row is new. Rows below it were loaded because the user asked for more.
  const isNew = (index: number) => known !== null && index < lastKnown && !known.has(keys[index] ?? '');
  const shown = rows.filter((_, index) => !isNew(index));
  return {
    shown,
    newCount: rows.length - shown.length,
    showNew: () => setHeld({ listKey, known: new Set(keys) }),
  };
}
