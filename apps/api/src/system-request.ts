import type { KeyOwner, SystemRequest } from '@carillon/db';
import type { ApiContext } from './context.js';
import { defaultsFor } from './draft-request.js';

/** Who asks, and what applies where nothing is said, for whatever makes schedules on somebody's behalf. */
export function systemRequest(
  { clock, defaults }: Pick<ApiContext, 'clock' | 'defaults'>,
  caller: KeyOwner,
): SystemRequest {
  return {
    projectId: caller.projectId,
    actor: caller.keyName,
    limits: caller.limits,
    nowAt: Math.floor(clock.now()),
    defaults: defaultsFor(caller, defaults),
  };
}
