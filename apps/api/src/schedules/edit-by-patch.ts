import {
  type ChangeResult,
  type Database,
  type EditResult,
  editSchedule,
  type KeyOwner,
  readCalendars,
  readSchedule,
} from '@carillon/db';
import { calendarsNamedBy, type SchedulePatch } from '@carillon/shared';
import type { ApiContext } from '../context.js';
import { mergePatch } from './merge-patch.js';

interface PatchRequest {
  caller: KeyOwner;
  /** The id of the schedule. */
  key: string;
  patch: SchedulePatch;
  /** The version that the client has seen; null if it sent no If-Match. */
  ifMatch: number | null;
}

/**
 * Maximum number of tries for an edit without If-Match. A try fails if another request changes the schedule between the
 * read and the write.
 */
const MAX_EDIT_TRIES = 5;

/**
 * Edits a schedule: reads it, merges the patch, and writes the result only if the version of the schedule has not
 * changed meanwhile. So no concurrent edit is overwritten.
 */
export async function editByPatch(
  context: Pick<ApiContext, 'clock' | 'defaults' | 'secrets'>,
  db: Database,
  { caller, key, patch, ifMatch }: PatchRequest,
): Promise<ChangeResult<EditResult & { warnings: string[] }>> {
  const { projectId, keyName: actor } = caller;
  for (let merges = 0; merges < MAX_EDIT_TRIES; merges++) {
    const view = await readSchedule(db, projectId, key);
    if (!view) return { kind: 'not_found' };
    const { version } = view;
    if (ifMatch !== null && ifMatch !== version) return { kind: 'stale', version };
    const named = [...Object.keys(view.timing.calendars), ...calendarsNamedBy([patch])];
    const calendars = await readCalendars(db, projectId, named);
    const nowAt = Math.floor(context.clock.now());
    const { definition, warnings } = mergePatch(patch, { view, caller, context, calendars, nowAt });
    const result = await editSchedule(db, { ref: { projectId, key }, actor, ifMatch: version }, definition);
    if (result.kind === 'changed') return { ...result, value: { ...result.value, warnings } };
    if (result.kind !== 'stale' || ifMatch !== null) return result;
  }
  return {
    kind: 'refused',
    reason: `other requests changed it ${MAX_EDIT_TRIES} times during this edit; try again`,
  };
}
