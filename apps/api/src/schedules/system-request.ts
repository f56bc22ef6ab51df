import type { KeyOwner, SystemRequest } from '@carillon/db';
import type { ApiContext } from '../context.js';
import { systemDefaultsFor } from './draft-request.js';

/** The actor and the defaults for schedules that users, tasks and reminders create. */
export function systemRequest(
  context: Pick<ApiContext, 'clock' | 'defaults' | 'secrets'>,
  caller: KeyOwner,
): SystemRequest {
  return {
    projectId: caller.projectId,
    actor: caller.keyName,
    limits: caller.limits,
    nowAt: Math.floor(context.clock.now()),
    defaults: systemDefaultsFor(caller, context),
  };
}
