import type { BulkActionName, Schedule } from '@carillon/client';
import { carillon } from '../api/carillon.js';

export type ActionName = Exclude<BulkActionName, 'backfill'>;

/** The inputs of an action. Instants are in RFC 3339. */
export interface ActionInputs {
  note?: string | undefined;
  until?: string | undefined;
  at?: string | undefined;
}

interface ActionWords {
  name: string;
  /** A sentence about the effect of the action, shown before it is carried out. */
  effect: string;
  done: string;
  isDanger?: boolean;
}

export const ACTIONS: Record<ActionName, ActionWords> = {
  pause: {
    name: 'Pause',
    effect: 'Nothing fires until it is resumed. Runs under way go on.',
    done: 'Paused',
  },
  resume: { name: 'Resume', effect: 'Fires again from its next occurrence on.', done: 'Resumed' },
  trigger: {
    name: 'Run now',
    effect: 'Runs once, now. The next occurrence stays where it is.',
    done: 'Triggered',
  },
  'skip-next': {
    name: 'Skip next',
    effect: 'The next occurrence does not run. The one after it does.',
    done: 'Skipped the next of',
  },
  reschedule: {
    name: 'Move next',
    effect: 'Moves the next occurrence, and only that one.',
    done: 'Moved the next of',
  },
  cancel: {
    name: 'Cancel',
    effect: 'Ends it for good: it can’t be resumed. Runs under way go on to their end.',
    done: 'Cancelled',
    isDanger: true,
  },
};

/** The actions that are possible in the state of a schedule. */
export function actionsFor({ status, nextRunAt }: Pick<Schedule, 'status' | 'nextRunAt'>): ActionName[] {
  if (status === 'active')
    return ['trigger', 'pause', ...(nextRunAt ? (['reschedule', 'skip-next'] as const) : []), 'cancel'];
  if (status === 'paused') return ['resume', 'trigger', 'cancel'];
  return [];
}

export function performAction(
  id: string,
  action: ActionName,
  { note, until, at }: ActionInputs,
): Promise<Schedule> {
  const { schedules } = carillon;
  switch (action) {
    case 'pause':
      return schedules.pause(id, { note: note ?? null, until: until ?? null });
    case 'resume':
      return schedules.resume(id);
    case 'trigger':
      return schedules.trigger(id);
    case 'skip-next':
      return schedules.skipNext(id);
    case 'reschedule':
      return schedules.reschedule(id, { at: at ?? '' });
    case 'cancel':
      return schedules.cancel(id);
  }
}
