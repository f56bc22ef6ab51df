import { cancelSchedule, readSchedule, setCalendar } from '@carillon/db';
import { QUEUES, slotEnd } from '@carillon/queue';
import { eventually, insertSchedules, useDatabase, useProcesses } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { usePrograms } from '../use-programs.js';
import { useRedis } from './use-redis.js';
import { useWorkers } from './use-workers.js';

const database = useDatabase();
const programs = usePrograms(database);
const processes = useProcesses(database);
const CARILLON_HANDLERS = new URL('./handlers.mjs', import.meta.url).href;
const redis = useRedis(database);
const startProgram = useWorkers(programs);
const startAlone = useWorkers(processes);
const start = (env: Record<string, string> = {}) => startProgram({ env });
/** Starts a worker as a process, with the handlers of `handlers.mjs`. */
const startProcess = (env: Record<string, string> = {}, nodeArguments: string[] = []) =>
  startAlone({ env: { CARILLON_HANDLERS, ...env }, nodeArguments });

const inMs = (ms: number) => ({ rule: { at: new Date(Date.now() + ms).toISOString() } });
const runOf = async (id: number | undefined) =>
  (await database.pool.query('select status from carillon.runs where schedule_id = $1', [id])).rows[0];
const succeeded = (id: number | undefined) =>
  eventually(async () => (await runOf(id))?.status === 'succeeded');

async function armedSlots(): Promise<number[]> {
  const ids = await redis.client.zrange(`${database.prefix}:${QUEUES.bells}:delayed`, 0, '-1');
  return [...new Set(ids.map((id) => Number(id.split('-')[1])))].sort();
}

describe('The sweep', () => {
  it('the sweep adds a wake-up job (bell) to Redis for everything that is due within the horizon, and for nothing else (invariant I8)', async () => {
    await start();
    const inputs = [4_000, 5_000, 6_000, 3_600_000].map(inMs);
    await insertSchedules(database, inputs);
    const due = inputs.slice(0, 3).map(({ rule }) => slotEnd(Date.parse(rule.at)));
    await eventually(async () => {
      const armed = await armedSlots();
      return due.every((slot) => armed.includes(slot)) && armed.length === due.length;
    });
  });

  it('the sweep corrects the next occurrence of a schedule that was created with outdated calendar dates, and an unreadable schedule does not stop the sweep', async () => {
    await start();
    const { pool, projectId } = database;
    const tomorrow = new Date(new Date().setUTCHours(24, 0, 0, 0));
    const dates = [tomorrow.toISOString().slice(0, 10)];
    await setCalendar(pool, { projectId, name: 'closed', dates, actor: 'ops' });
    // The schedule has the old dates, as if the API had read the calendar before a change and stored the schedule after
    // it.
    const daily = { id: 'shop', rule: { cron: '0 0 * * *' }, exclusions: ['closed'] };
    await insertSchedules(database, [daily], { calendars: new Map([['closed', []]]) });
    const shop = () => readSchedule(pool, projectId, 'shop');
    await eventually(async () => (await shop())?.nextRunAt === tomorrow.getTime() + 86_400_000);
    expect((await shop())?.version).toBe(2);

    // A schedule whose timing can't be read must not keep the sweep from its other work.
    await pool.query(`update carillon.schedules set timing = '{"calendars":' where key = 'shop'`);
    const soon = inMs(5_000);
    await insertSchedules(database, [soon]);
    await eventually(async () => (await armedSlots()).includes(slotEnd(Date.parse(soon.rule.at))));
    await pool.query(
      `delete from carillon.agenda a using carillon.schedules s where s.id = a.schedule_id and s.key = 'shop'`,
    );
    await pool.query(`update carillon.schedules set status = 'cancelled' where key = 'shop'`);
  });

  it('the sweep is repeated even after Redis has lost everything, including the repeating job of the sweep', async () => {
    const worker = await startProcess();
    const [before] = await insertSchedules(database, [inMs(300)]);
    await succeeded(before);
    await redis.empty();
    const [after] = await insertSchedules(database, [inMs(3_000)]);
    await eventually(
      async () => (await redis.client.exists(`${database.prefix}:${QUEUES.ticks}:repeat`)) === 1,
    );
    await succeeded(after);
    expect(worker.isRunning).toBe(true);
  });

  it('a worker’s heartbeat restores the repeating job of the sweep in Redis before a sweep is missed', async () => {
    await start({ SWEEP_INTERVAL_MS: '6000', ARM_HORIZON_MS: '18000' });
    const lastSweep = async () =>
      Number(
        (await database.pool.query('select swept_at from carillon.installation')).rows[0]?.swept_at ?? 0,
      );
    const before = await lastSweep();
    await eventually(async () => (await lastSweep()) > before);
    await redis.empty();
    // A sweep counts as missed after two intervals (12 s). The repeating job must be back in Redis before that.
    await eventually(
      async () => (await redis.client.exists(`${database.prefix}:${QUEUES.ticks}:repeat`)) === 1,
      {
        withinMs: 11_000,
      },
    );
  });

  it('if Redis has lost a wake-up job (bell), the sweep reports it as drift and adds it again', async () => {
    const worker = await start({ ARM_HORIZON_MS: '60000' });
    const [id] = await insertSchedules(database, [inMs(20_000)]);
    const slotsArmed = async () => (await armedSlots()).length > 0;
    await eventually(slotsArmed);
    // The sweep counts a missing bell as drift only if the schedule has not changed in the last two seconds.
    await database.pool.query("update carillon.schedules set updated_at = updated_at - interval '1 minute'");
    await redis.client.del(`${database.prefix}:${QUEUES.bells}:delayed`);
    const line = await worker.logged('Sweep repaired drift: overdue runs, missing bells or expired leases');
    expect(line).toMatchObject({ drift: { missingBells: 1 } });
    // Redis still holds a job with the usual id of the bell, so the sweep arms the bell under another id.
    await eventually(slotsArmed, { withinMs: 6_000 });
    await cancelSchedule(database.pool, { ref: { id: id as number }, actor: 'test' });
  });

  it('a starting worker reports the runs that fell due while no worker ran, and runs them', async () => {
    await insertSchedules(database, [inMs(-5_000), inMs(-3_000)]);
    const worker = await start();
    expect(worker.lines.find((line) => line.msg === 'Starting recovery check')).toBeTruthy();
    const missedLine = worker.lines.find((line) => line.msg === 'Missed events found') as
      | Record<string, string>
      | undefined;
    expect(missedLine).toMatchObject({ count: 2 });
    expect(Date.parse(missedLine?.oldestEventTimestamp ?? '')).toBeLessThan(
      Date.parse(missedLine?.newestEventTimestamp ?? ''),
    );
    await eventually(async () => {
      const { rows } = await database.pool.query(
        'select from carillon.agenda where not is_held and due_at < now()',
      );
      return rows.length === 0;
    });
    const next = await start();
    expect(next.lines.find((line) => line.msg === 'No missed events found')).toBeTruthy();
  });

  it('after a worker was killed during a run, a sweep makes the run claimable again, and another worker completes it (invariant I7)', async () => {
    const hanging = await startProcess();
    const [id] = await insertSchedules(database, [
      { ...inMs(100), target: { type: 'handler', name: 'hang-on-first-attempt' }, timeout: 'PT1H' },
    ]);
    await eventually(async () => (await runOf(id))?.status === 'running');
    await hanging.end('SIGKILL');
    await startProcess();
    await succeeded(id);
    const { rows } = await database.pool.query(
      'select number, outcome from carillon.run_attempts where schedule_id = $1 order by number',
      [id],
    );
    expect(rows).toEqual([
      { number: 1, outcome: 'unknown' },
      { number: 2, outcome: 'succeeded' },
    ]);
  });
});

describe('Shutdown', () => {
  it('a worker that gets SIGTERM finishes the runs that end in time, hands the others back for other workers to claim, and leaves no lease', async () => {
    const worker = await startProcess({ STOP_DEADLINE_MS: '1000' });
    const [slow, hanging] = await insertSchedules(database, [
      { ...inMs(50), target: { type: 'handler', name: 'ends-while-stopping' } },
      { ...inMs(50), target: { type: 'handler', name: 'hang-on-first-attempt' }, timeout: 'PT1H' },
    ]);
    await eventually(
      async () => (await runOf(slow))?.status === 'running' && (await runOf(hanging))?.status === 'running',
    );
    await worker.end('SIGTERM');
    expect((await runOf(slow)).status).toBe('succeeded');
    expect((await runOf(hanging)).status).toBe('retrying');
    expect((await database.pool.query('select from carillon.leases')).rows.length).toBe(0);
    const { rows } = await database.pool.query(
      'select outcome, free_attempts from carillon.runs where schedule_id = $1',
      [hanging],
    );
    expect(rows).toEqual([{ outcome: 'handed_back', free_attempts: 1 }]);
    await startProcess();
    await succeeded(hanging);
  });
});

describe('Clocks', () => {
  it('workers whose clocks are 30 seconds off never fire early by the clock of Postgres (invariant I6)', async () => {
    const startShifted = (ms: number) =>
      startProcess({}, ['--import', `data:text/javascript,const now=Date.now;Date.now=()=>now()+${ms}`]);
    await startShifted(30_000);
    await startShifted(-30_000);
    const ids = await insertSchedules(
      database,
      Array.from({ length: 50 }, (_, i) => inMs(1_000 + i * 40)),
    );
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `select from carillon.runs where schedule_id = any($1) and status = 'succeeded'`,
        [ids],
      );
      return rows.length === ids.length;
    });
    const { rows } = await database.pool.query(
      'select from carillon.runs where schedule_id = any($1) and claimed_at < due_at',
      [ids],
    );
    expect(rows.length).toBe(0);
  });
});
