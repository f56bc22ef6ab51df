import type { BulkActionAnswer } from '@carillon/client';
import { explainError } from '../api/carillon.js';
import { type ActionInputs, type ActionName, performAction } from './perform-action.js';

export interface Selected {
  id: string;
  name: string | null;
  nextRunAt: string | null;
}

const CONCURRENT_REQUESTS = 4;

/** Applies an action to each selected schedule, a few at a time. If one is refused, the others are still changed. */
export async function actOnSelected(
  rows: readonly Selected[],
  action: ActionName,
  inputs: ActionInputs,
): Promise<Pick<BulkActionAnswer, 'changed' | 'refused' | 'refusals'>> {
  const refusals: { id: string; reason: string }[] = [];
  const left = rows.values();
  const work = async () => {
    for (const { id } of left) {
      await performAction(id, action, inputs).catch((error) =>
        refusals.push({ id, reason: explainError(error) }),
      );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work));
  return { changed: rows.length - refusals.length, refused: refusals.length, refusals };
}
