import { triggerSchedule } from '@carillon/db';
import { eventually, insertSchedules, useDatabase, useReceiver } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { awaitRun, hasEnded, useWorker } from './support.js';

const database = useDatabase();
const [hostile, healthy] = [useReceiver(), useReceiver()];
const PLACES = 32;
useWorker(database, () => ({
  WORKER_CONCURRENCY: String(PLACES),
  WORKER_PAYLOAD_MB: '4',
  // The limit per origin is off, because a real attacker would give each hanging receiver an origin of its own.
  ORIGIN_CONCURRENCY: '1000',
}));

const ATTACKER = 2;
const OTHER = 3;
beforeAll(async () => {
  for (const key of ['attacker', 'other'])
    await database.pool.query('insert into carillon.projects (key, name) values ($1, $1)', [key]);
});

const FAR_AWAY = { at: '2100-01-01T00:00:00Z' };
const now = () => ({ at: new Date().toISOString() });
const webhook = (url: string) => ({ type: 'webhook' as const, url, headers: {} });

/** Cancels all runs of the hostile project, so that the next test begins with an idle worker. */
async function endAttack(): Promise<void> {
  await database.pool.query(`delete from carillon.agenda where project_id = $1`, [ATTACKER]);
  await database.pool.query(`delete from carillon.receipts where project_id = $1`, [ATTACKER]);
  await eventually(
    async () => {
      await database.pool.query(
        `update carillon.runs set status = 'cancelled', next_attempt_at = null, finished_at = now()
         where project_id = $1 and status in ('queued', 'running', 'retrying')`,
        [ATTACKER],
      );
      return hostile.open === 0;
    },
    { everyMs: 500 },
  );
}

const schedulesOf = (projectId: number, count: number, input: object) =>
  insertSchedules(
    database,
    Array.from({ length: count }, () => ({ rule: FAR_AWAY, ...input })),
    { projectId },
  );

async function triggerAll(projectId: number, ids: readonly number[]): Promise<void> {
  const { rows } = await database.pool.query<{ key: string }>(
    'select key from carillon.schedules where id = any($1)',
    [ids],
  );
  for (const { key } of rows)
    await triggerSchedule(database.pool, { ref: { projectId, key }, actor: 'test', ifMatch: null });
}

describe('Shares per project', () => {
  it('a project whose receivers hang fills at most seven eighths of a worker, and due runs of another project are delivered meanwhile', async () => {
    await schedulesOf(ATTACKER, 200, {
      rule: now(),
      target: webhook(hostile.url('hang/due')),
      timeout: 'PT10M',
    });
    await eventually(() => hostile.open >= PLACES / 2, { what: 'the attack' });
    const ids = await schedulesOf(OTHER, 40, { rule: now(), target: webhook(healthy.url('status/200')) });
    for (const id of ids)
      expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'succeeded' });
    expect(hostile.mostOpen).toBeLessThanOrEqual((PLACES * 7) / 8);
    expect(hostile.open).toBeGreaterThanOrEqual(PLACES / 2);
    await endAttack();
  });

  it('manually triggered runs of one project whose receivers hang do not hold up the manually triggered runs of another project', async () => {
    const attack = await schedulesOf(ATTACKER, 60, {
      target: webhook(hostile.url('hang/trigger')),
      timeout: 'PT10M',
    });
    await triggerAll(ATTACKER, attack);
    await eventually(() => hostile.open >= PLACES / 2, { what: 'the attack' });
    const ids = await schedulesOf(OTHER, 40, { target: webhook(healthy.url('status/200')) });
    await triggerAll(OTHER, ids);
    for (const id of ids)
      expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'succeeded' });
    expect(hostile.open).toBeGreaterThanOrEqual(PLACES / 2);
    await endAttack();
  });

  it('large payloads of one project leave memory for the runs of another project', async () => {
    const payload = 'x'.repeat(250_000);
    const target = webhook(hostile.url('hang/large'));
    await schedulesOf(ATTACKER, 30, { rule: now(), target, timeout: 'PT10M', payload });
    await eventually(() => hostile.open >= 5, { what: 'the attack' });
    const ids = await schedulesOf(OTHER, 10, {
      rule: now(),
      target: webhook(healthy.url('status/200')),
      payload: 'small',
    });
    for (const id of ids)
      expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'succeeded' });
    // WORKER_PAYLOAD_MB is 4. Sixteen of these payloads would fill it, so some memory stayed free.
    expect(hostile.to('hang/large').length).toBeLessThanOrEqual(15);
    await endAttack();
  });

  it('if the onSuccess URLs of one project hang, the receipts of another project (messages to onSuccess) are still sent', async () => {
    const onSuccess = hostile.url('hang/receipt');
    await schedulesOf(ATTACKER, 300, { rule: now(), target: { type: 'handler', name: 'noop' }, onSuccess });
    await eventually(() => hostile.open >= 50, { what: 'the attack' });
    const [id] = await schedulesOf(OTHER, 1, {
      rule: now(),
      target: { type: 'handler', name: 'noop' },
      onSuccess: healthy.url('status/200/receipt'),
    });
    await awaitRun(database, id as number, hasEnded);
    await eventually(() => healthy.to('status/200/receipt').length === 1);
    expect(hostile.open).toBeGreaterThanOrEqual(50);
  });
});
