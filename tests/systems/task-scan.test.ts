import { createTask, listAudit, openDatabase, readTask, type ScanOptions, scanTasks } from '@carillon/db';
import { HOUR_MS } from '@carillon/shared';
import { useDatabase } from '@carillon/testkit';
import { afterEach, describe, expect, it } from 'vitest';

const database = useDatabase();
const { projectId } = database;
const NOW = Date.parse('2026-11-16T10:00:00Z');

interface Line {
  level: 'info' | 'warn' | 'error';
  detail: Record<string, unknown>;
  message: string;
}

/**
 * Runs a scan at the instant NOW. The waits before retries are recorded and skipped. Returns the result, the log lines
 * and the lengths of these waits.
 */
async function scan(more: Partial<ScanOptions> = {}, pool = database.pool) {
  const lines: Line[] = [];
  const pauses: number[] = [];
  const say = (level: Line['level']) => (detail: object, message: string) =>
    lines.push({ level, detail: detail as Line['detail'], message });
  const result = await scanTasks(pool, {
    projectId: null,
    startedAt: NOW,
    now: NOW,
    defaults: {
      target: { type: 'handler', name: 'log' },
      maxAttempts: 3,
      baseDelayMs: 1_000,
      allowPrivateTargets: true,
    },
    log: { info: say('info'), warn: say('warn'), error: say('error') },
    onSent: () => {},
    wait: async (ms) => {
      pauses.push(ms);
    },
    ...more,
  }).catch((error: Error) => error);
  return { result, lines, pauses };
}

const task = async (title: string, dueInMs: number, sentAgoMs: number | null = null) => {
  const { key, id } = await createTask(
    database.pool,
    { projectId, actor: 'test' },
    { title, dueAt: NOW + dueInMs, target: null },
  );
  if (sentAgoMs !== null) {
    await database.pool.query('update carillon.tasks set reminder_sent_at = $2 where id = $1', [
      id,
      new Date(NOW - sentAgoMs),
    ]);
  }
  return { key, id };
};
const sentAt = async (key: string) => (await readTask(database.pool, projectId, key))?.reminderSentAt ?? null;
const remindersOf = async (key: string) => {
  const { rows } = await database.pool.query<{ payload: { title: string; workerRunId: string } }>(
    `select payload from carillon.schedules where key like $1 || '-%' order by id`,
    [key],
  );
  return rows.map(({ payload }) => payload);
};

afterEach(async () => {
  await database.pool.query('drop trigger if exists trouble on carillon.tasks; delete from carillon.tasks');
});

describe('Task scans', () => {
  it('a task scan sends reminders of tasks that are due within 24 hours and have had no reminder in the last 24 hours', async () => {
    const due = await task('in an hour', HOUR_MS);
    const now = await task('this very moment', 0);
    const dayAhead = await task('in 24 hours', 24 * HOUR_MS);
    const again = await task('reminded of long ago', HOUR_MS, 24 * HOUR_MS + 1);
    const others = [
      await task('a moment ago', -1),
      await task('in more than 24 hours', 24 * HOUR_MS + 1),
      await task('reminded of a day ago to the millisecond', HOUR_MS, 24 * HOUR_MS),
    ];
    expect((await scan()).result).toMatchObject({ due: 4, sent: 4, skipped: 0, failed: 0 });
    for (const { key } of [due, now, dayAhead, again]) expect(await sentAt(key)).toBe(NOW);
    for (const { key } of others) expect(await remindersOf(key)).toEqual([]);
    expect((await scan()).result).toMatchObject({ due: 0, sent: 0 });
  });

  it('a task scan takes at most a thousand tasks, those that are due soonest', async () => {
    await database.pool.query(
      `insert into carillon.tasks (project_id, key, title, due_at)
       select $1, 'tsk_bulk' || n, 'task ' || n, to_timestamp($2::float8 / 1000) + n * interval '1 second'
       from generate_series(1010, 1, -1) as n`,
      [projectId, NOW],
    );
    const { result } = await scan();
    expect(result).toMatchObject({ due: 1_000, sent: 1_000 });
    const { rows } = await database.pool.query<{ key: string }>(
      `select key from carillon.tasks where reminder_sent_at is null order by due_at`,
    );
    expect(rows.map(({ key }) => key)).toEqual(Array.from({ length: 10 }, (_, i) => `tsk_bulk${1_001 + i}`));
    const { rows: first } = await database.pool.query(
      `select payload ->> 'title' as title from carillon.schedules where key like 'tsk_bulk%' order by id limit 2`,
    );
    expect(first).toEqual([{ title: 'task 1' }, { title: 'task 2' }]);
    expect((await scan()).result).toMatchObject({ due: 10, sent: 10 });
  });

  it('four concurrent task scans send one reminder per task', async () => {
    const tasks = [];
    for (let i = 0; i < 60; i++) tasks.push(await task(`task ${i}`, HOUR_MS + i));
    const scans = await Promise.all(Array.from({ length: 4 }, () => scan()));
    const results = scans.map(({ result }) => result as { due: number; sent: number; skipped: number });
    expect(results.reduce((sum, { sent }) => sum + sent, 0)).toBe(60);
    for (const { due, sent, skipped } of results) expect(sent + skipped).toBe(due);
    expect(results.some(({ skipped }) => skipped > 0)).toBe(true);
    for (const { key } of tasks) expect(await remindersOf(key)).toHaveLength(1);
  });

  it('a task scan writes an audit entry for each reminder, with the id of the scan', async () => {
    const { key } = await task('audited', HOUR_MS);
    const { result } = await scan();
    const { workerRunId } = result as { workerRunId: string };
    expect(workerRunId).toMatch(/^worker-run-2026-11-16-10-00-00-[0-9a-f]{4}$/);
    const filter = { subject: key, action: 'reminder_sent' };
    const [entry] = await listAudit(database.pool, { projectId, filter, limit: 1, beforeId: null });
    expect(entry?.detail).toEqual({
      task_id: key,
      action: 'reminder_sent',
      timestamp: '2026-11-16T10:00:00.000Z',
      worker_run_id: workerRunId,
    });
  });

  it('a task scan logs its start, its end and its counts', async () => {
    await task('logged', HOUR_MS);
    const { lines, result } = await scan();
    const { workerRunId } = result as { workerRunId: string };
    expect(lines).toMatchObject([
      { level: 'info', message: 'Task scan started', detail: { workerRunId } },
      {
        level: 'info',
        message: 'Task scan ended',
        detail: { workerRunId, due: 1, sent: 1, skipped: 0, failed: 0 },
      },
    ]);
    expect(lines[1]?.detail.durationMs).toEqual(expect.any(Number));
  });

  it('a task scan of one project does not touch the tasks of other projects (invariant I9)', async () => {
    const { key } = await task('ours', HOUR_MS);
    expect((await scan({ projectId: projectId + 1 })).result).toMatchObject({ due: 0 });
    expect(await sentAt(key)).toBeNull();
  });
});

/** Makes Postgres refuse the given number of updates of one task, with the given SQLSTATE. */
async function trouble(id: number, code: string, times: number): Promise<void> {
  await database.pool.query(`
    drop sequence if exists troubles; create sequence troubles;
    create or replace function make_trouble() returns trigger language plpgsql as $$ begin
      if new.id = ${id} and new.reminder_sent_at is distinct from old.reminder_sent_at and nextval('troubles') <= ${times}
      then raise exception 'trouble' using errcode = '${code}'; end if;
      return new;
    end $$;
    create trigger trouble before update on carillon.tasks for each row execute function make_trouble()`);
}

describe('Task scans that fail', () => {
  it('a task scan retries a task after 1, 2 and 4 seconds if the error is transient', async () => {
    const { id, key } = await task('deadlocked', HOUR_MS);
    await trouble(id, '40P01', 3);
    const { result, pauses } = await scan();
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
    expect(result).toMatchObject({ sent: 1, failed: 0 });
    expect(await remindersOf(key)).toHaveLength(1);
  });

  it('before a task scan tries a task again, it checks whether another scan has sent the reminder meanwhile, and if so skips the task', async () => {
    const { id, key } = await task('sent by another', HOUR_MS);
    await trouble(id, '40001', 1);
    const { result } = await scan({
      wait: async () => {
        await database.pool.query('drop trigger trouble on carillon.tasks');
        await database.pool.query('update carillon.tasks set reminder_sent_at = $2 where id = $1', [
          id,
          new Date(NOW),
        ]);
      },
    });
    expect(result).toMatchObject({ due: 1, sent: 0, skipped: 1, failed: 0 });
    expect(await remindersOf(key)).toEqual([]);
  });

  it('a task scan gives up on a task whose reminder fails after three retries, logs an error, and continues with the other tasks', async () => {
    const bad = await task('always deadlocked', HOUR_MS);
    const good = await task('fine', 2 * HOUR_MS);
    await trouble(bad.id, '40P01', 100);
    const { result, pauses, lines } = await scan();
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
    expect(result).toMatchObject({ due: 2, sent: 1, failed: 1 });
    expect(lines.find(({ level }) => level === 'error')).toMatchObject({
      message: 'Task reminder failed',
      detail: { task: bad.id },
    });
    expect(await remindersOf(good.key)).toHaveLength(1);
    // The task has no reminder yet, so the next scan finds it again.
    expect(await sentAt(bad.key)).toBeNull();
    expect(await remindersOf(bad.key)).toEqual([]);
    await database.pool.query('drop trigger trouble on carillon.tasks');
    expect((await scan()).result).toMatchObject({ due: 1, sent: 1 });
  });

  it('a task scan does not retry a task if the error is permanent', async () => {
    const { id } = await task('broken', HOUR_MS);
    await trouble(id, 'P0001', 100);
    const { result, pauses } = await scan();
    expect(pauses).toEqual([]);
    expect(result).toMatchObject({ sent: 0, failed: 1 });
  });

  it('a task scan ends if Postgres becomes unreachable, and keeps the reminders that it has sent', async () => {
    const first = await task('before', HOUR_MS);
    const { id, key } = await task('when it went away', 2 * HOUR_MS);
    const last = await task('after', 3 * HOUR_MS);
    await trouble(id, '57P01', 100);
    const { result, pauses, lines } = await scan();
    expect(result).toBeInstanceOf(Error);
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      message: 'Task scan stopped by an error; the next scan sends the remaining reminders',
      detail: { due: 3, sent: 1, failed: 0 },
    });
    expect([await sentAt(first.key), await sentAt(key), await sentAt(last.key)]).toEqual([NOW, null, null]);
    // The next scan takes the tasks that the failed scan did not reach.
    await database.pool.query('drop trigger trouble on carillon.tasks');
    expect((await scan()).result).toMatchObject({ due: 2, sent: 2 });
  });

  it('a task scan ends with an error if Postgres is unreachable from the start', async () => {
    const away = openDatabase({
      url: 'postgres://nobody@127.0.0.1:1/none',
      max: 1,
      applicationName: 'test',
      connectTimeoutMs: 200,
      onError: () => {},
    });
    const { result, pauses, lines } = await scan({}, away);
    await away.end();
    expect(result).toBeInstanceOf(Error);
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'Task scan started'],
      ...Array.from({ length: 3 }, () => ['warn', 'Task scan will try again']),
      ['error', 'Task scan stopped by an error; the next scan sends the remaining reminders'],
    ]);
  });
});
