import { inTransaction, type Transaction } from '../database.js';
import { isDatabaseAway } from '../errors.js';
import { missingMonth } from '../history/partitions.js';
import { type LockedSchedule, lockFreeSchedules } from '../schedules/locked-schedule.js';
import { cancelledRefusal, triggerLocked } from '../schedules/trigger-backfill.js';
import { managedByDetail, recordManyAudits } from '../tenancy/audit.js';
import type { HandledChange } from './change-requested.js';
import type { SqlRequest } from './lock-requests.js';

interface Triggered {
  request: SqlRequest;
  schedule: LockedSchedule;
}

/**
 * Carries out calls of the SQL function `trigger` (which runs a schedule now) together, with the same few statements
 * for all of them. The requests are of one project, each for another schedule. Returns the requests that were carried
 * out or refused. The caller carries out the others one by one: those whose schedule is unknown, is locked, or has a
 * triggered run of this millisecond already. If the statements fail, none is returned, so that one bad row does not
 * fail the others.
 */
export async function triggerInBatch(
  tx: Transaction,
  { projectId, requests }: { projectId: number; requests: readonly SqlRequest[] },
): Promise<HandledChange[]> {
  if (requests.length < 2) return [];
  try {
    return await inTransaction(tx, (nested) => trigger(nested, projectId, requests));
  } catch (error) {
    // The caller repeats the transaction once Postgres is back, or once the month of the runs has its partition.
    if (isDatabaseAway(error) || missingMonth(error) !== null) throw error;
    return [];
  }
}

async function trigger(
  tx: Transaction,
  projectId: number,
  requests: readonly SqlRequest[],
): Promise<HandledChange[]> {
  const byKey = new Map(requests.map((request) => [request.key, request]));
  const schedules = await lockFreeSchedules(tx, { projectId, keys: [...byKey.keys()] }, null);
  const handled: HandledChange[] = [];
  const fitting: LockedSchedule[] = [];
  for (const schedule of schedules) {
    const reason = cancelledRefusal('triggered')(schedule);
    if (reason === null) fitting.push(schedule);
    else handled.push({ kind: 'refused', request: byKey.get(schedule.key) as SqlRequest, reason });
  }
  const nowAt = fitting[0]?.nowAt;
  if (nowAt === undefined) return handled;
  const done = (await triggerLocked(tx, fitting, nowAt)).map(({ schedule, detail }) => ({
    schedule,
    detail,
    request: byKey.get(schedule.key) as SqlRequest,
  }));
  for (const [actor, entries] of groupByActor(done))
    await recordManyAudits(tx, { projectId, actor, action: 'schedule.triggered', nowAt, entries });
  for (const { request } of done)
    handled.push({ kind: 'changed', request, dueAts: [nowAt], isNewCancel: false });
  return handled;
}

function groupByActor(done: readonly (Triggered & { detail: object })[]) {
  const entries = new Map<string, { key: string; detail: object | undefined }[]>();
  for (const { request, schedule, detail } of done) {
    const entry = { key: schedule.key, detail: managedByDetail(schedule.tags, detail) };
    entries.set(request.actor, [...(entries.get(request.actor) ?? []), entry]);
  }
  return entries;
}
