import type { KeyOwner } from '@carillon/db';
import { draftSchedule, keepRedacted, type Target } from '@carillon/shared';
import type { ApiContext } from '../context.js';
import { invalid } from '../http/problem.js';
import { systemDefaultsFor } from './draft-request.js';

interface Recipient {
  timezone?: string | undefined;
  target?: Target | null | undefined;
}

/**
 * Validates the time zone and the target of a user or a task by the rules for schedules. Returns the canonical IANA
 * name of the zone, and the target with encrypted headers.
 */
export function validateRecipient<T extends Target | null | undefined>(
  context: Pick<ApiContext, 'defaults' | 'secrets'>,
  caller: KeyOwner,
  { timezone, target }: Recipient & { target?: T },
): { timezone: string; target: T } {
  const result = draftSchedule(
    {
      rule: { cron: '@yearly' },
      ...(timezone === undefined ? {} : { timezone }),
      ...(target ? { target } : {}),
    },
    { key: 'validated', nowAt: 0, defaults: systemDefaultsFor(caller, context) },
  );
  if (!result.ok) throw invalid(result.problems);
  const { timing, plan } = result.drafted;
  return { timezone: timing.timezone, target: (target ? plan.target : target) as T };
}

/** Replaces each redacted header value that a client has sent back by the stored value. */
export function withStoredHeaders(target: Target, stored: Target | null): Target {
  const kept = keepRedacted(target, stored);
  if (!kept.ok) throw invalid(kept.problems);
  return kept.target;
}
