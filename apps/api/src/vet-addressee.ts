import type { KeyOwner } from '@carillon/db';
import { draftSchedule, type Target } from '@carillon/shared';
import type { ApiContext } from './context.js';
import { defaultsFor } from './draft-request.js';
import { invalid } from './problem.js';

/** Refuses a zone or a target that no schedule would be taken with; answers with the zone as IANA spells it. */
export function vetAddressee(
  { defaults }: Pick<ApiContext, 'defaults'>,
  caller: KeyOwner,
  { timezone, target }: { timezone?: string | undefined; target?: Target | null | undefined },
): string {
  const result = draftSchedule(
    {
      rule: { cron: '@yearly' },
      ...(timezone === undefined ? {} : { timezone }),
      ...(target ? { target } : {}),
    },
    { key: 'vetted', nowAt: 0, defaults: defaultsFor(caller, defaults) },
  );
  if (!result.ok) throw invalid(result.problems);
  return result.drafted.timing.timezone;
}
