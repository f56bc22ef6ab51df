import type { KeyOwner, SystemRequest } from '@carillon/db';
import type { ApiContext } from '../context.js';
import { systemDefaultsFor } from './draft-request.js';

/**
 * The project, the actor, the limits and the defaults for schedules that are created for users, tasks and reminders.
 */
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
