import { isDeepStrictEqual } from 'node:util';
import {
  createSchedules,
  type Database,
  type KeyOwner,
  OverLimit,
  readCalendars,
  readSchedule,
  replaceSchedule,
  type ScheduleView,
} from '@carillon/db';
import { calendarsNamedBy, isSameTiming, type ScheduleRequest, storePlan } from '@carillon/shared';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ApiContext } from '../context.js';
import { HttpProblem, invalid } from '../http/problem.js';
import { type DraftedRequest, draftRequest, viewOf } from './draft-request.js';
import { resolveTemplate } from './resolve-template.js';
import { problemOf, readIfMatch } from './respond-with-change.js';
import { withStoredHeaders } from './validate-recipient.js';

/** The state in which a client expects the id to be. */
interface Precondition {
  /** The version that the schedule must have; null if any version will do. */
  version: number | null;
  mustExist: boolean;
  mustBeNew: boolean;
}

export function readPrecondition(request: FastifyRequest): Precondition {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*')
    throw new HttpProblem('invalid_header', 'If-None-Match: expected *, which creates and never replaces');
  return {
    version: readIfMatch(request),
    mustExist: ifMatch !== undefined,
    mustBeNew: ifNoneMatch !== undefined,
  };
}

interface Put {
  schedule: ScheduleView;
  isNew: boolean;
  inFlight: string[];
  warnings: string[];
  dueAts: number[];
}

interface PutRequest {
  caller: KeyOwner;
  request: z.infer<typeof ScheduleRequest> & { id: string };
  precondition: Precondition;
}

/** How often the request tries again because another request created, changed or removed the schedule in between. */
const MAX_TRIES = 5;

/** Creates the schedule, or replaces its definition if the id is taken. */
export async function putSchedule(context: ApiContext, db: Database, put: PutRequest): Promise<Put> {
  const { caller, request, precondition } = put;
  const { id: key } = request;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = await readSchedule(db, caller.projectId, key);
    refuseUnexpected(before, key, precondition);
    const drafted = await draftPut(context, db, put, before);
    const done = before ? await replace(db, put, before, drafted) : await create(db, put, drafted);
    if (done) return done;
  }
  const reason = `other requests changed it ${MAX_TRIES} times during this one; try again`;
  throw problemOf({ kind: 'refused', reason }, key);
}

function refuseUnexpected(
  before: ScheduleView | null,
  key: string,
  { version, mustExist, mustBeNew }: Precondition,
): void {
  if (before && mustBeNew)
    throw new HttpProblem(
      'stale_version',
      `a schedule with the id ${key} exists at version ${before.version}`,
    );
  if (!before && mustExist) throw new HttpProblem('stale_version', `there is no schedule with the id ${key}`);
  if (before && version !== null && version !== before.version)
    throw problemOf({ kind: 'stale', version: before.version }, key);
}

async function draftPut(
  context: ApiContext,
  db: Database,
  { caller, request }: PutRequest,
  before: ScheduleView | null,
): Promise<DraftedRequest> {
  const calendars = await readCalendars(db, caller.projectId, calendarsNamedBy([request]));
  const filled = await resolveTemplate(db, caller, request);
  const { target } = filled;
  // A client that read the schedule sends its redacted headers back: the stored values replace them.
  const stored = target && before ? { target: withStoredHeaders(target, before.plan.target) } : {};
  const drafted = draftRequest(context, caller, { ...filled, ...stored }, calendars);
  if (!drafted.ok) throw invalid(drafted.problems);
  return drafted.value;
}

/** Returns null if another request has created the schedule meanwhile. */
async function create(db: Database, { caller }: PutRequest, drafted: DraftedRequest): Promise<Put | null> {
  const { projectId, keyName: actor, limits } = caller;
  const { draft, warnings } = drafted;
  const [created] = await createSchedules(db, { projectId, actor, limits, drafts: [draft] });
  if (created?.kind === 'over_limit') throw new OverLimit(limits);
  if (created?.kind !== 'created') return null;
  const schedule = viewOf(drafted, created);
  return { schedule, isNew: true, inFlight: [], warnings, dueAts: [draft.first.dueAt] };
}

/** Returns null if another request has changed or removed the schedule meanwhile. */
async function replace(
  db: Database,
  { caller, request, precondition }: PutRequest,
  before: ScheduleView,
  { draft, warnings }: DraftedRequest,
): Promise<Put | null> {
  const { projectId, keyName: actor, limits } = caller;
  const { sealedSecret, ...rest } = draft;
  // An omitted secret stays, because a client can't read it to send it back. An explicit null removes it.
  const secret = request.secret === undefined ? {} : { sealedSecret: sealedSecret ?? null };
  const definition = { ...rest, ...secret, timing: keepAnchor(draft, before), limits };
  if (isSameDefinition(before, definition))
    return { schedule: before, isNew: false, inFlight: [], warnings, dueAts: [] };
  const { version } = before;
  const result = await replaceSchedule(
    db,
    { ref: { projectId, key: before.key }, actor, ifMatch: version },
    definition,
  );
  if (result.kind === 'refused' || (result.kind === 'stale' && precondition.version !== null))
    throw problemOf(result, before.key);
  const schedule = result.kind === 'changed' && (await readSchedule(db, projectId, before.key));
  if (!schedule || result.kind !== 'changed') return null;
  return { schedule, isNew: false, inFlight: result.value.inFlight, warnings, dueAts: result.dueAts };
}

/** An interval that does not change goes on from its anchor, the creation of the schedule. */
function keepAnchor({ timing }: DraftedRequest['draft'], before: ScheduleView) {
  const anchored = { ...timing, anchorAt: before.timing.anchorAt };
  return before.status !== 'cancelled' && isSameTiming(anchored, before.timing) ? anchored : timing;
}

type Replacement = Pick<
  DraftedRequest['draft'],
  'name' | 'tags' | 'rule' | 'timing' | 'plan' | 'payload' | 'sealedSecret'
>;

function isSameDefinition(before: ScheduleView, next: Replacement): boolean {
  if (before.status === 'cancelled' || next.sealedSecret !== undefined) return false;
  return (
    before.name === next.name &&
    before.payloadText === next.payload &&
    isDeepStrictEqual([before.tags, before.rule], [next.tags, next.rule]) &&
    isSameTiming(before.timing, next.timing) &&
    storePlan(before.plan) === storePlan({ ...next.plan, hasSecret: before.plan.hasSecret })
  );
}
