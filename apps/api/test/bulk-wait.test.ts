import { TimerBells } from '@carillon/queue';
import { ActionInput } from '@carillon/shared';
import { eventually } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { Counters } from '../src/metrics/counters.js';
import { BulkActions } from '../src/schedules/bulk-actions.js';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();

it('if a bulk action takes longer than its request waits, the response has the status running and no cursor, and the action continues until it is done', async () => {
  const { pool } = api.database;
  await api.call('POST', '/v1/schedules', { body: scheduleBody({ id: 'late', tags: ['late'] }) });
  const caller = {
    ...{ keyId: 1, keyName: 'test', projectId: 1, projectKey: 'default' },
    ...{ scopes: [], defaultTarget: null, limits: {} },
  };
  const context = { pool, bells: new TimerBells(), counters: new Counters(pool) };
  const errors: unknown[] = [];
  const actions = new BulkActions(context, (error) => errors.push(error), 0);
  const action = ActionInput.parse({ action: 'pause', filter: { tag: 'late' } });
  const blocker = await pool.connect();
  await blocker.query('begin; lock table carillon.agenda in exclusive mode');
  const request = { caller, action, beforeId: null, requestKey: null, requestHash: '' };
  const { id, status, lastId } = await actions.run(request);
  expect([status, lastId]).toEqual(['running', null]);
  const readProgress = async () => (await api.call('GET', `/v1/schedules/actions/${id}`)).body;
  expect((await readProgress()).status).toBe('running');
  await blocker.query('rollback');
  blocker.release();
  const progress = await eventually(async () => {
    const latest = await readProgress();
    return latest.status !== 'running' && latest;
  });
  expect(progress).toMatchObject({ status: 'done', matched: 1, changed: 1, nextCursor: null });
  expect(errors).toEqual([]);
});
