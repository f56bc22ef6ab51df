import {
  createSchedules,
  type Database,
  type KeyOwner,
  OverLimit,
  readSchedule,
  replaceSchedule,
  type ScheduleView,
} from '@carillon/db';
import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../context.js';
import { HttpProblem } from '../http/problem.js';
import { type DraftedPut, draftPut, type PutBody } from './draft-put.js';
import { toScheduleView } from './draft-request.js';
import { problemOf, readIfMatch } from './respond-with-change.js';

/** The expectations of the client about the schedule that has the id, from `If-Match` and `If-None-Match`. */
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
  request: PutBody;
  precondition: Precondition;
}

/**
 * Maximum number of tries. A try fails if another request creates, changes or removes the schedule between the read and
 * the write.
 */
const MAX_PUT_TRIES = 5;

/** Creates the schedule, or replaces its definition if the id is taken. */
export async function putSchedule(context: ApiContext, db: Database, put: PutRequest): Promise<Put> {
  const { caller, request, precondition } = put;
  const { id: key } = request;
  for (let tries = 0; tries < MAX_PUT_TRIES; tries++) {
    const before = await readSchedule(db, caller.projectId, key);
    refuseUnexpected(before, key, precondition);
    const drafted = await draftPut(context, db, put, before);
    const done = before ? await replace(db, put, before, drafted) : await create(db, put, drafted);
    if (done) return done;
  }
  const reason = `other requests changed it ${MAX_PUT_TRIES} times during this one; try again`;
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

/** Returns null if another request has created the schedule meanwhile. */
async function create(db: Database, { caller }: PutRequest, { drafted }: DraftedPut): Promise<Put | null> {
  const { projectId, keyName: actor, limits } = caller;
  const { draft, warnings } = drafted;
  const [created] = await createSchedules(db, { projectId, actor, limits, drafts: [draft] });
  if (created?.kind === 'over_limit') throw new OverLimit(limits);
  if (created?.kind !== 'created') return null;
  const schedule = toScheduleView(drafted, created);
  return { schedule, isNew: true, inFlight: [], warnings, dueAts: [draft.first.dueAt] };
}

/** Returns null if another request has changed or removed the schedule meanwhile. */
async function replace(
  db: Database,
  { caller, precondition }: PutRequest,
  before: ScheduleView,
  { drafted: { draft, warnings }, isSame, sealedSecret }: DraftedPut,
): Promise<Put | null> {
  const { projectId, keyName: actor, limits } = caller;
  if (isSame) return { schedule: before, isNew: false, inFlight: [], warnings, dueAts: [] };
  const { sealedSecret: _, ...rest } = draft;
  const secret = sealedSecret === undefined ? {} : { sealedSecret };
  const { version } = before;
  const result = await replaceSchedule(
    db,
    { ref: { projectId, key: before.key }, actor, ifMatch: version },
    { ...rest, ...secret, limits },
  );
  if (result.kind === 'refused' || (result.kind === 'stale' && precondition.version !== null))
    throw problemOf(result, before.key);
  const schedule = result.kind === 'changed' && (await readSchedule(db, projectId, before.key));
  if (!schedule || result.kind !== 'changed') return null;
  return { schedule, isNew: false, inFlight: result.value.inFlight, warnings, dueAts: result.dueAts };
}
