import { isDeepStrictEqual } from 'node:util';
import {
  type Database,
  type KeyOwner,
  readCalendars,
  readScheduleSecrets,
  type ScheduleView,
  type SecretBox,
} from '@carillon/db';
import {
  calendarsNamedBy,
  isSameTiming,
  type ScheduleRequest,
  storePlan,
  type Target,
} from '@carillon/shared';
import type { z } from 'zod';
import type { ApiContext } from '../context.js';
import { invalid } from '../http/problem.js';
import { type DraftedRequest, draftRequest } from './draft-request.js';
import { resolveTemplate } from './resolve-template.js';
import { withStoredHeaders } from './validate-recipient.js';

export type PutBody = z.infer<typeof ScheduleRequest> & { id: string };

/** The definition that a PUT would store. */
export interface DraftedPut {
  drafted: DraftedRequest;
  /** True if the new definition equals the current one. */
  isSame: boolean;
  /** The secret to store; null removes it, undefined keeps it. */
  sealedSecret: Buffer | null | undefined;
}

/** Validates the body of a PUT and compares it with the schedule that has the id now. Throws if the body is invalid. */
export async function draftPut(
  context: ApiContext,
  db: Database,
  { caller, request }: { caller: KeyOwner; request: PutBody },
  before: ScheduleView | null,
): Promise<DraftedPut> {
  const calendars = await readCalendars(db, caller.projectId, calendarsNamedBy([request]));
  const filled = await resolveTemplate(db, caller, request);
  const { target } = filled;
  // A client that has read the schedule sends its redacted headers back. Each redacted value is replaced by the stored
  // value.
  const stored = target && before ? { target: withStoredHeaders(target, before.plan.target) } : {};
  const result = draftRequest(context, caller, { ...filled, ...stored }, calendars);
  if (!result.ok) throw invalid(result.problems);
  const { draft, warnings } = result.value;
  if (!before) return { drafted: result.value, isSame: false, sealedSecret: draft.sealedSecret };
  // An omitted secret is kept, because a client can't read it and send it back. An explicit null removes it.
  const keepsSecret =
    request.secret === undefined ||
    (await hasSecret(context, db, { caller, before, secret: request.secret }));
  const sealedSecret = keepsSecret ? undefined : (draft.sealedSecret ?? null);
  const headersKept = keepEqualHeaders(draft.plan.target, before.plan.target, context.secrets, caller);
  const plan = {
    ...draft.plan,
    target: headersKept,
    hasSecret: keepsSecret ? before.plan.hasSecret : draft.plan.hasSecret,
  };
  const kept = { ...draft, plan, timing: keepAnchor(draft, before) };
  const isSame = before.status !== 'cancelled' && keepsSecret && isSameDefinition(before, kept);
  return { drafted: { draft: kept, warnings }, isSame, sealedSecret };
}

/** True if the stored secret of the schedule equals the given one, or if null is given and no secret is stored. */
async function hasSecret(
  { secrets }: ApiContext,
  db: Database,
  { caller, before, secret }: { caller: KeyOwner; before: ScheduleView; secret: string | null },
): Promise<boolean> {
  if (secret === null) return !before.plan.hasSecret;
  if (!before.plan.hasSecret || !secrets) return false;
  const [current] = (await readScheduleSecrets(db, [before.id])).get(before.id) ?? [];
  return current !== undefined && secrets.open(current, caller.projectId) === secret;
}

/**
 * Keeps the stored text of headers whose value does not change. Encrypting the same value again would yield another
 * text, so an unchanged definition would look changed.
 */
function keepEqualHeaders(
  target: Target,
  stored: Target,
  secrets: SecretBox | null,
  { projectId }: KeyOwner,
): Target {
  if (target.type !== 'webhook' || stored.type !== 'webhook' || !secrets) return target;
  const headers = Object.entries(target.headers).map(([name, sealed]) => {
    const known = stored.headers[name];
    const isEqual =
      known !== undefined && secrets.openText(known, projectId) === secrets.openText(sealed, projectId);
    return [name, isEqual ? known : sealed] as const;
  });
  return { ...target, headers: Object.fromEntries(headers) };
}

/**
 * If the timing does not change, keeps its anchor (the instant from which an interval counts), so that the occurrences
 * stay where they are.
 */
function keepAnchor({ timing }: DraftedRequest['draft'], before: ScheduleView) {
  const anchored = { ...timing, anchorAt: before.timing.anchorAt };
  return before.status !== 'cancelled' && isSameTiming(anchored, before.timing) ? anchored : timing;
}

function isSameDefinition(before: ScheduleView, next: DraftedRequest['draft']): boolean {
  return (
    before.name === next.name &&
    before.payloadText === next.payload &&
    isDeepStrictEqual([before.tags, before.rule], [next.tags, next.rule]) &&
    isSameTiming(before.timing, next.timing) &&
    storePlan(before.plan) === storePlan(next.plan)
  );
}
