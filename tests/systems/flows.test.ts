import { readSchedule } from '@carillon/db';
import { DUE_JOB, QUEUES, REQUESTS, type ScheduleDue } from '@carillon/queue';
import { eventually, type TestProcess, useDatabase, useProcesses } from '@carillon/testkit';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, usePrograms } from '../use-programs.js';
import { useHttp } from './http.js';

const database = useDatabase();
const programs = usePrograms(database);
const processes = useProcesses(database);
const redis = new Redis(database.redisUrl, { maxRetriesPerRequest: null });
const requests = new Queue(QUEUES.requests, { connection: redis, prefix: database.prefix });
const due = new Queue(QUEUES.due, { connection: redis, prefix: database.prefix });
let api: Program & { url: string };
let worker: TestProcess;
const ask = useHttp(() => api.url);

interface Taken {
  jobId: string;
  name: string;
  due: ScheduleDue;
}
/** The jobs that the user's application has taken from the queue `schedule-due`, in order. */
const taken: Taken[] = [];
let mainApp: Worker;

beforeAll(async () => {
  api = await programs.api();
  worker = await processes.worker();
  mainApp = new Worker(
    QUEUES.due,
    async (job) => {
      taken.push({ jobId: String(job.id), name: job.name, due: job.data });
    },
    { connection: redis, prefix: database.prefix },
  );
});
afterAll(async () => {
  await mainApp.close();
  await Promise.all([requests.close(), due.close()]);
  redis.disconnect();
});

const dueOf = (id: string) => taken.filter(({ due }) => due.id === id);
const rowOf = (key: string) => readSchedule(database.pool, database.projectId, key);
const runsOf = async (key: string) => {
  const { rows } = await database.pool.query(
    `select r.status, r.attempt from carillon.runs r join carillon.schedules s on s.id = r.schedule_id where s.key = $1 order by r.occurrence_at`,
    [key],
  );
  return rows;
};
/** Sends a request by queue and waits until its job is completed. */
async function request(name: string, data: object): Promise<void> {
  const job = await requests.add(name, data);
  await eventually(async () => (await job.getState()) === 'completed');
}

/** Reads three counters of schedules and jobs from /metrics, as Prometheus does. */
async function counters() {
  const lines: string[] = (await ask('GET', '/metrics')).body.split('\n');
  const value = (name: string) => Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1]);
  return {
    queued: value('jobs_queued_total'),
    cancelled: value('jobs_cancelled_total'),
    due: value('jobs_due_total'),
  };
}

describe('One-shot schedules', () => {
  it('a one-shot that is requested by a job in the queue schedule-requests is stored, and published to the queue schedule-due when it is due', async () => {
    const before = await counters();
    const at = new Date(Date.now() + 1_500).toISOString();
    await request(REQUESTS.schedule, { id: 'once', at });
    expect(await rowOf('once')).toMatchObject({ status: 'active', nextRunAt: Date.parse(at) });
    expect(dueOf('once')).toEqual([]);
    const [first] = await eventually(() => dueOf('once').length > 0 && dueOf('once'));
    expect(first).toMatchObject({
      name: DUE_JOB,
      jobId: first?.due.runId,
      due: { id: 'once', occurrenceAt: at },
    });
    expect(Date.parse(first?.due.firedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(at));
    await eventually(async () => (await runsOf('once'))[0]?.status === 'succeeded');
    expect(await rowOf('once')).toMatchObject({ status: 'finished', nextRunAt: null });
    expect(dueOf('once')).toHaveLength(1);
    await eventually(async () => {
      const { queued, due } = await counters();
      return queued === before.queued + 1 && due === before.due + 1;
    });
  });

  it('a one-shot that is requested twice by jobs in a queue becomes one schedule and is published once', async () => {
    const data = { id: 'twice', at: new Date(Date.now() + 1_000).toISOString() };
    await request(REQUESTS.schedule, data);
    await request(REQUESTS.schedule, data);
    await eventually(() => dueOf('twice').length > 0);
    await eventually(async () => (await runsOf('twice'))[0]?.status === 'succeeded');
    expect(dueOf('twice')).toHaveLength(1);
  });

  it('a run with a queue target stays running until its job is published and the result is stored', async () => {
    await database.pool.query(HOLD_UP('held'));
    await request(REQUESTS.schedule, { id: 'held', at: new Date(Date.now() + 300).toISOString() });
    await eventually(() => dueOf('held').length > 0);
    expect(await runsOf('held')).toMatchObject([{ status: 'running' }]);
    await database.pool.query(LET_GO);
    await eventually(async () => (await runsOf('held'))[0]?.status === 'succeeded');
  });
});

describe('Recurring schedules', () => {
  it('a recurring schedule with a queue target publishes a job at each occurrence, and finishes after the last one', async () => {
    const startsAt = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000;
    const dtstart = new Date(startsAt).toISOString().replace(/[-:]|\.\d{3}/g, '');
    await request(REQUESTS.schedule, {
      id: 'daily',
      rrule: `DTSTART:${dtstart}\nRRULE:FREQ=SECONDLY;COUNT=3`,
    });
    const made = await rowOf('daily');
    expect(made?.nextRunAt).toBe(startsAt);
    await eventually(() => dueOf('daily').length === 1);
    const moved = await rowOf('daily');
    expect(moved).toMatchObject({ id: made?.id, status: 'active' });
    expect(moved?.nextRunAt).toBeGreaterThan(startsAt);
    await eventually(() => dueOf('daily').length === 3);
    await eventually(async () => (await rowOf('daily'))?.status === 'finished');
    expect(dueOf('daily').map(({ due }) => Date.parse(due.occurrenceAt) - startsAt)).toEqual([
      0, 1_000, 2_000,
    ]);
    expect(new Set(dueOf('daily').map(({ due }) => due.runId)).size).toBe(3);
    expect(await rowOf('daily')).toMatchObject({ id: made?.id });
  });
});

describe('Cancellations', () => {
  it('a schedule that is cancelled by a job in the queue schedule-requests publishes nothing afterwards', async () => {
    const before = await counters();
    const at = new Date(Date.now() + 1_200).toISOString();
    await request(REQUESTS.schedule, { id: 'unwanted', at });
    await request(REQUESTS.cancel, { id: 'unwanted' });
    expect(await rowOf('unwanted')).toMatchObject({ status: 'cancelled', nextRunAt: null });
    // Wait until a schedule that is due 300 ms later has published its job. The due time of the cancelled schedule has
    // passed by then.
    await request(REQUESTS.schedule, { id: 'wanted', at: new Date(Date.parse(at) + 300).toISOString() });
    await eventually(() => dueOf('wanted').length > 0);
    expect(dueOf('unwanted')).toEqual([]);
    await request(REQUESTS.cancel, { id: 'unwanted' });
    await eventually(async () => (await counters()).cancelled === before.cancelled + 1);
  });

  it('a schedule that fires every second publishes nothing after the job that cancels it has completed', async () => {
    await request(REQUESTS.schedule, { id: 'ticking', rrule: 'RRULE:FREQ=SECONDLY' });
    await eventually(() => dueOf('ticking').length > 0);
    await request(REQUESTS.cancel, { id: 'ticking' });
    await eventually(async () => (await runsOf('ticking')).every(({ status }) => status === 'succeeded'));
    const { length } = await runsOf('ticking');
    await request(REQUESTS.schedule, { id: 'later', at: new Date(Date.now() + 2_000).toISOString() });
    await eventually(() => dueOf('later').length > 0);
    expect(await runsOf('ticking')).toHaveLength(length);
    expect(dueOf('ticking')).toHaveLength(length);
  });
});

/**
 * Kills the worker after it has published the job of a run and before it has closed the run, and lets another worker
 * take over.
 */
async function crashAfterPublishing(key: string, whileDown: () => Promise<unknown>): Promise<void> {
  await database.pool.query(HOLD_UP(key));
  await request(REQUESTS.schedule, { id: key, at: new Date(Date.now() + 300).toISOString() });
  await eventually(() => dueOf(key).length === 1);
  await worker.end('SIGKILL');
  await database.pool.query(LET_GO);
  expect(await runsOf(key)).toMatchObject([{ status: 'running', attempt: 1 }]);
  await whileDown();
  worker = await processes.worker();
  await eventually(async () => (await runsOf(key))[0]?.status === 'succeeded');
  expect(await runsOf(key)).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
  expect(await rowOf(key)).toMatchObject({ status: 'finished' });
}

describe('Crashes', () => {
  it('if a worker crashes after it has published a job and before it has closed the run, another worker publishes the job under the same id, and the application gets it once', async () => {
    await crashAfterPublishing('crashed', async () => {});
    expect(dueOf('crashed')).toHaveLength(1);
  });

  it('if a worker crashes after it has published a job, and Redis loses the job, another worker publishes it again with the same job id and run id', async () => {
    await crashAfterPublishing('crashed-and-forgotten', () =>
      due.remove(dueOf('crashed-and-forgotten')[0]?.jobId ?? ''),
    );
    await eventually(() => dueOf('crashed-and-forgotten').length === 2);
    const [first, second] = dueOf('crashed-and-forgotten');
    expect(second?.jobId).toBe(first?.jobId);
    expect(second?.due.runId).toBe(first?.due.runId);
  });
});

/** Makes Postgres refuse to close any run of the schedule until the trigger is dropped. */
const HOLD_UP = (key: string) => `
  create or replace function hold_up() returns trigger language plpgsql as $$ begin
    if new.status = 'succeeded' and exists (select from carillon.schedules where id = new.schedule_id and key = '${key}')
    then raise exception 'held up' using errcode = '53000'; end if;
    return new;
  end $$;
  create or replace trigger hold_up before insert or update on carillon.runs for each row execute function hold_up()`;
const LET_GO = 'drop trigger hold_up on carillon.runs';
