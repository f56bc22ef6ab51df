import { type ClaimedRun, skipNext } from '@carillon/db';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');

/**
 * Each change would make a row inconsistent, and violates the named constraint. `%s` stands for the id of the row's
 * schedule.
 */
const INCONSISTENT: [constraint: string, change: string][] = [
  ['schedules_pause', `update carillon.schedules set status = 'paused' where id = %s`],
  ['schedules_pause', `update carillon.schedules set paused_at = now() where id = %s`],
  ['schedules_pause_detail', `update carillon.schedules set paused_until = now() where id = %s`],
  ['schedules_pause_detail', `update carillon.schedules set paused_by = 'ops' where id = %s`],
  ['schedules_pause_detail', `update carillon.schedules set pause_note = 'why' where id = %s`],
  ['schedules_versions', 'update carillon.schedules set definition_version = 0 where id = %s'],
  ['schedules_versions', 'update carillon.schedules set definition_version = version + 1 where id = %s'],
  ['gaps_order', gap(`now(), now() - interval '1 second', 1`)],
  ['gaps_order', gap('now(), now(), 0')],
  [
    'alert_channels_type',
    `insert into carillon.alert_channels (project_id, key, type, settings) values (1, 'x', 'fax', '{}')`,
  ],
  [
    'alert_messages_state',
    `insert into carillon.alert_messages (project_id, channel_id, content, created_at, sent_at, next_try_at)
     values (1, 1, '{}', now(), now(), now())`,
  ],
  ['alerts_kind', alert(`'colour', null, null`)],
  ['alerts_resolution', alert(`'start', now(), null`)],
  ['alerts_resolution', alert(`'start', null, 'recovered'`)],
  [
    'calendars_source',
    `insert into carillon.calendars (project_id, name, dates, source_url) values (1, 'x', '{}', 'https://x.test')`,
  ],
  [
    'feeds_scope',
    `insert into carillon.feeds (project_id, name, hash, schedule_key, tag) values (1, 'x', '\\x00', 'one', 'two')`,
  ],
  [
    'maintenance_windows_order',
    `insert into carillon.maintenance_windows (project_id, starts_at, ends_at, created_by) values (1, now(), now(), 'ops')`,
  ],
  [
    'pings_kind',
    `insert into carillon.pings (project_id, schedule_id, kind, at) values (1, %s, 'maybe', now())`,
  ],
  ['sql_requests_action', request(`'rename', null`)],
  ['sql_requests_body', request(`'schedule', null`)],
  ['sql_requests_body', request(`'cancel', '{}'`)],
  ['leases_open_runs', 'update carillon.leases set open_runs = 0'],
  ['installation_is_single', 'insert into carillon.installation (is_single) values (false)'],
  ['installation_hold', 'update carillon.installation set held_at = now()'],
  ['installation_hold', `update carillon.installation set held_code = 'restored'`],
  [
    'stopped_schedules_not_active',
    `insert into carillon.stopped_schedules (schedule_id, project_id, status) values (%s, 1, 'active')`,
  ],
  ...[
    // The run is `running`: attempt 1, under a lease, without a result.
    'epoch = null',
    'attempt = 0',
    'finished_at = now()',
    `outcome = 'failed'`,
    'next_attempt_at = now()',
    'failed_at = now()',
    `status = 'queued'`,
    `status = 'queued', next_attempt_at = now(), failed_at = now()`,
    `status = 'retrying'`,
    `status = 'retrying', next_attempt_at = now(), failed_at = now()`,
    `status = 'succeeded'`,
    `status = 'succeeded', finished_at = now(), next_attempt_at = now()`,
    `status = 'succeeded', finished_at = now(), failed_at = now()`,
    `status = 'failed', finished_at = now()`,
    `status = 'failed', failed_at = now()`,
    `status = 'failed', finished_at = now(), failed_at = now(), next_attempt_at = now()`,
    `status = 'cancelled'`,
    `status = 'cancelled', finished_at = now(), next_attempt_at = now()`,
    `status = 'cancelled', finished_at = now(), failed_at = now()`,
    `status = 'skipped', attempt = 0, reason_code = 'x'`,
    `status = 'skipped', attempt = 0, finished_at = now()`,
    `status = 'skipped', finished_at = now(), reason_code = 'x'`,
    `status = 'skipped', attempt = 0, finished_at = now(), reason_code = 'x', next_attempt_at = now()`,
    `status = 'skipped', attempt = 0, finished_at = now(), reason_code = 'x', failed_at = now()`,
  ].map((change): [string, string] => [
    'runs_state',
    `update carillon.runs set ${change} where schedule_id = %s`,
  ]),
];

function alert(values: string): string {
  return `insert into carillon.alerts (project_id, schedule_id, schedule_key, occurrence_at, sentence, opened_at, noted_at,
                                       kind, resolved_at, resolution)
          select 1, %s, 'x', now(), 'x', now(), now(), ${values}`;
}

function request(values: string): string {
  return `insert into carillon.sql_requests (project_id, key, actor, action, body) select 1, 'x', 'ops', ${values}`;
}

function gap(values: string): string {
  return `insert into carillon.gaps (project_id, schedule_id, version, from_at, to_at, count, reason_code, reason)
          select 1, %s, 1, ${values}, 'x', 'x'`;
}

it('every CHECK constraint of the schema refuses an inconsistent row', async () => {
  const [id] = (await insertSchedules(database, [{ rule: { every: 'PT1M' } }], { nowAt: T0 })) as [number];
  const [run] = await engine.claim(T0 + 60_000);
  const refusedBy: (string | undefined)[] = [];
  for (const [, change] of INCONSISTENT) {
    const refusal = await database.pool.query(change.replace('%s', String(id))).catch((error) => error);
    refusedBy.push(refusal.constraint);
  }
  expect(refusedBy).toEqual(INCONSISTENT.map(([constraint]) => constraint));

  const { rows } = await database.pool.query<{ name: string }>(
    `select distinct conname as name from pg_constraint c join pg_class t on t.oid = c.conrelid
     where c.contype = 'c' and c.connamespace = 'carillon'::regnamespace and not t.relispartition order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual([...new Set(refusedBy)].sort());

  // The run is unchanged, so it can still be closed.
  expect(await engine.succeed(run as ClaimedRun, T0 + 60_001)).toBe(1);
});

it('Postgres refuses a second run of the same occurrence and origin in the same month', async () => {
  const [id] = (await insertSchedules(database, [{ rule: { every: 'PT1M' } }], { nowAt: T0 })) as [number];
  await skipNext(database.pool, { ref: { id }, actor: 'ops', now: T0 });
  const again = `insert into carillon.runs select * from carillon.runs where schedule_id = ${id}`;
  await expect(database.pool.query(again)).rejects.toMatchObject({ code: '23505' });
});
