import { declareSchedules, pauseSchedule, readSchedule, rescheduleNext } from '@carillon/db';
import type { ScheduleInput } from '@carillon/shared';
import { draft, eventually, useDatabase, useProcesses } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);
const { projectId } = database;

const deploy = (...inputs: ScheduleInput[]) =>
  declareSchedules(database.pool, { projectId, drafts: inputs.map((input) => draft(input, Date.now())) });
const read = (key: string) => readSchedule(database.pool, projectId, key);
const request = (key: string) => ({ ref: { projectId, key }, actor: 'ops' });

const digest = { id: 'digest', rule: { cron: '0 9 * * *' }, payload: { edition: 1 } };
const cleanup = { id: 'cleanup', rule: { every: 'PT1H' } };

describe('Schedules declared in code', () => {
  it('a schedule declared in code is created once, however often the code is deployed', async () => {
    expect(await deploy(digest, cleanup)).toMatchObject({ created: ['digest', 'cleanup'], changed: [] });
    expect(await deploy(digest, cleanup)).toMatchObject({ created: [], changed: [], noLongerDeclared: [] });
    expect(await read('digest')).toMatchObject({ version: 1, status: 'active' });
  });

  it('a deploy keeps an operator’s pause and reschedule of a declared schedule', async () => {
    await pauseSchedule(database.pool, request('digest'), { note: 'holiday', untilAt: null });
    const movedTo = Date.now() + 7_200_000;
    await rescheduleNext(database.pool, request('cleanup'), movedTo);
    await deploy(digest, cleanup);
    expect(await read('digest')).toMatchObject({ status: 'paused', pauseNote: 'holiday' });
    expect((await read('cleanup'))?.nextRunAt).toBe(movedTo);
  });

  it('a changed declaration edits its schedule, which keeps its pause and its rescheduled time', async () => {
    const changed = { ...digest, payload: { edition: 2 } };
    const moved = (await read('cleanup'))?.nextRunAt;
    expect(await deploy(changed, { ...cleanup, payload: 1 })).toMatchObject({
      changed: ['digest', 'cleanup'],
    });
    expect(await deploy(changed, { ...cleanup, payload: 1 })).toMatchObject({ changed: [] });
    expect(await read('digest')).toMatchObject({ status: 'paused', payloadText: '{"edition":2}' });
    expect((await read('cleanup'))?.nextRunAt).toEqual(moved);
  });

  it('a schedule that the code no longer declares is reported but not deleted', async () => {
    expect(await deploy(cleanup)).toMatchObject({ noLongerDeclared: ['digest'] });
    expect((await read('digest'))?.status).toBe('paused');
  });

  it('a worker runs the schedules that its code declares', async () => {
    const worker = await processes.worker({
      env: { CARILLON_HANDLERS: new URL('./declared.mjs', import.meta.url).pathname },
    });
    await worker.logged('Declared schedule ran');
    expect(await worker.logged('Schedules declared in code')).toMatchObject({ created: ['every-second'] });
    await eventually(async () => ((await read('every-second'))?.runsTotal ?? 0) > 0);
  });

  it('workers that start at the same time with a changed declaration apply the change once', async () => {
    await deploy({ ...digest, id: 'raced' });
    for (let edition = 1; edition <= 10; edition++) {
      const changed = { ...digest, id: 'raced', payload: { edition: edition + 1 } };
      const reports = await Promise.all(Array.from({ length: 4 }, () => deploy(changed)));
      expect(reports.flatMap((report) => report.changed)).toEqual(['raced']);
      expect((await read('raced'))?.version).toBe(edition + 1);
    }
  });
});
