import type { BulkActionView } from '@carillon/db';
import type { ActionProgress } from '@carillon/shared';
import type { z } from 'zod';
import { encodeCursor } from '../http/cursor.js';
import { iso } from './iso.js';

type Shown = z.infer<typeof ActionProgress>;

/** The progress of a bulk action, as the API shows it. */
export function presentBulkAction({ lastId, isLost, ...action }: BulkActionView): Shown {
  return {
    ...action,
    action: action.action as Shown['action'],
    status: statusOf({ ...action, isLost }),
    nextCursor: lastId === null ? null : encodeCursor(lastId),
    startedAt: iso(action.startedAt),
    reportedAt: iso(action.reportedAt),
    finishedAt: iso(action.finishedAt),
  };
}

export function statusOf({
  finishedAt,
  error,
  isLost,
}: Pick<BulkActionView, 'finishedAt' | 'error' | 'isLost'>): Shown['status'] {
  if (finishedAt === null) return isLost ? 'lost' : 'running';
  return error === null ? 'done' : 'failed';
}
