import type { ProjectLimits } from '@carillon/shared';
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Pool } from 'pg';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { projects, webhookSecrets } from '../schema/tenancy.js';
import { arrayOf, statement } from '../statement.js';
import { recordAudit } from './audit.js';
import { orm } from './orm.js';

/** A replaced secret stays valid for a day, so that receivers have time to switch to the new one. */
const OVERLAP_HOURS = 24;

interface SecretOwner {
  projectId: number;
  /** Null for the secret of the project itself. */
  scheduleId: number | null;
}

/**
 * Replaces the current secret of a project or schedule, or removes all its secrets if `sealed` is null. The replaced
 * secret stays valid for a day and earlier ones are deleted, so at most two are valid. The caller holds the owner's row
 * lock.
 */
export async function replaceSecret(
  tx: Transaction,
  { projectId, scheduleId }: SecretOwner,
  sealed: Buffer | null,
): Promise<void> {
  const isOwned = and(
    eq(webhookSecrets.projectId, projectId),
    scheduleId === null ? isNull(webhookSecrets.scheduleId) : eq(webhookSecrets.scheduleId, scheduleId),
  );
  const db = orm(tx);
  if (sealed === null) {
    await db.delete(webhookSecrets).where(isOwned);
    return;
  }
  await db.delete(webhookSecrets).where(and(isOwned, isNotNull(webhookSecrets.expiresAt)));
  await db
    .update(webhookSecrets)
    .set({ expiresAt: sql`clock_timestamp() + ${OVERLAP_HOURS} * interval '1 hour'` })
    .where(isOwned);
  await db.insert(webhookSecrets).values({ projectId, scheduleId, sealed });
}

/** Makes a new secret and encrypts it for a project. */
export type SealNewSecret = (projectId: number) => Buffer;

const selectWithout = statement<object, { id: number }>(
  'find-projects-without-secret',
  `select p.id from carillon.projects p where not exists (
     select from carillon.webhook_secrets s where s.project_id = p.id and s.schedule_id is null and s.expires_at is null)`,
);

/** Gives a secret to each project that has none, such as the default project at the first start. */
export async function setMissingSecrets(pool: Pool, seal: SealNewSecret): Promise<void> {
  for (const { id } of await selectWithout(pool, {})) {
    await inTransaction(pool, async (tx) => {
      const isMissing =
        (await lockProject(tx, id)) && (await selectSealed(tx, { projectId: id })).length === 0;
      if (isMissing) await replaceSecret(tx, { projectId: id, scheduleId: null }, seal(id));
    });
  }
}

async function lockProject(tx: Transaction, projectId: number): Promise<{ key: string } | undefined> {
  const [project] = await orm(tx)
    .select({ key: projects.key })
    .from(projects)
    .where(eq(projects.id, projectId))
    .for('update');
  return project;
}

/** Sets, replaces or (with null) removes the secret of a project. False if there is no such project. */
export function setProjectSecret(
  pool: Pool,
  { projectId, sealed, actor }: { projectId: number; sealed: Buffer | null; actor: string },
): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const project = await lockProject(tx, projectId);
    if (!project) return false;
    await replaceSecret(tx, { projectId, scheduleId: null }, sealed);
    const action = sealed === null ? 'project.secret_removed' : 'project.secret_replaced';
    await recordAudit(tx, { projectId, key: project.key, actor, action });
    return true;
  });
}

/** The settings of a project for its deliveries, and the number of workers that share its limits. */
export interface DeliverySettings {
  projectKey: string;
  limits: ProjectLimits;
  /** Newest first. */
  sealedSecrets: Buffer[];
  workers: number;
}

const IS_VALID = '(expires_at is null or expires_at > (select clock_timestamp()))';
/** Maximum number of valid secrets: the current one and the one that it replaced. */
const MAX_VALID_SECRETS = 2;

const selectSealed = statement<{ projectId: number }, { sealed: Buffer }>(
  'read-project-secrets',
  `select sealed from carillon.webhook_secrets s
   where s.project_id = :projectId and s.schedule_id is null and ${IS_VALID} order by s.id desc limit ${MAX_VALID_SECRETS}`,
);

/** Reads the valid secrets of a project, newest first. */
export async function readProjectSecrets(pool: Pool, projectId: number): Promise<Buffer[]> {
  return (await selectSealed(pool, { projectId })).map(({ sealed }) => sealed);
}

const selectSettings = statement<{ projectId: number }, DeliverySettings>(
  'read-delivery-settings',
  `select key as "projectKey", limits,
          array(select sealed from carillon.webhook_secrets s
                where s.project_id = p.id and s.schedule_id is null and ${IS_VALID}
                order by s.id desc limit ${MAX_VALID_SECRETS}) as "sealedSecrets",
          (select greatest(1, count(*))::int from carillon.workers
           where stopped_at is null and alive_until > clock_timestamp()) as workers
   from carillon.projects p where p.id = :projectId`,
);

export async function readDeliverySettings(pool: Pool, projectId: number): Promise<DeliverySettings> {
  const [settings] = await selectSettings(pool, { projectId });
  return settings ?? { projectKey: '', limits: {}, sealedSecrets: [], workers: 1 };
}

const selectSecrets = statement<{ scheduleIds: string }, { scheduleId: number; sealed: Buffer }>(
  'read-schedule-secrets',
  `select schedule_id as "scheduleId", sealed from carillon.webhook_secrets
   where schedule_id = any(:scheduleIds::bigint[]) and ${IS_VALID} order by id desc`,
);

/** Reads the valid secrets of schedules that have their own, newest first. */
export async function readScheduleSecrets(
  db: Database,
  scheduleIds: readonly number[],
): Promise<Map<number, Buffer[]>> {
  const secretsByScheduleId = new Map<number, Buffer[]>();
  for (const { scheduleId, sealed } of await selectSecrets(db, { scheduleIds: arrayOf(scheduleIds) })) {
    const secrets = secretsByScheduleId.get(scheduleId) ?? [];
    if (secrets.length < MAX_VALID_SECRETS) secretsByScheduleId.set(scheduleId, [...secrets, sealed]);
  }
  return secretsByScheduleId;
}
