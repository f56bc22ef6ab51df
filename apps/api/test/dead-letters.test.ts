import { insertSchedules } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi();
const webhook = (url: string) => ({ type: 'webhook' as const, url, headers: {} });

/** Inserts a failed run of a schedule for each error. The runs failed in the last minutes, one in each minute. */
async function failedRuns(scheduleId: number, errors: readonly string[]): Promise<void> {
  await api.database.pool.query(
    `insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, status, due_at, recorded_at,
       happened_at, attempt, failed_at, finished_at, outcome, error)
     select $1, at, 'rule', date_trunc('month', now() at time zone 'UTC')::date, 1, 1, 'failed', at, at, at, 1, at, at, 'failed', error
     from unnest($2::text[]) with ordinality as given(error, n),
       lateral (select date_trunc('minute', now()) - n * interval '1 minute' as at) as failed`,
    [scheduleId, errors],
  );
}

beforeAll(async () => {
  const rule = { cron: '0 9 1 1 *' };
  const ids = await insertSchedules(api.database, [
    { id: 'mail-1', tags: ['mail'], rule, target: webhook('https://mail.example.com/send?token=1') },
    { id: 'mail-2', tags: ['mail'], rule, target: webhook('https://mail.example.com/send?token=2') },
    { id: 'bills', rule, target: { type: 'queue', queue: 'bills' } },
    { id: 'stopped', rule, target: webhook('https://mail.example.com/send') },
  ]);
  const [mail1, mail2, bills, stopped] = ids as [number, number, number, number];
  await failedRuns(mail1, ['answered 500', 'answered 500', 'timed out']);
  await failedRuns(mail2, ['answered 500']);
  await failedRuns(bills, ['timed out']);
  await failedRuns(stopped, ['answered 500']);
  await api.call('DELETE', '/v1/schedules/stopped');
});

const groups = async (query = '') => {
  const { body } = await api.call('GET', `/v1/runs/dead-letters?${query}`);
  expect(body.complete).toBe(true);
  return body.groups.map(({ receiver, error, runs, schedules }: Record<string, unknown>) => [
    receiver,
    error,
    runs,
    schedules,
  ]);
};

describe('Dead letters', () => {
  it('GET /v1/runs/dead-letters groups the runs that failed for good by receiver and error, the largest group first', async () => {
    expect(await groups()).toEqual([
      ['mail.example.com/send', 'answered 500', 4, 3],
      ['queue bills', 'timed out', 1, 1],
      ['mail.example.com/send', 'timed out', 1, 1],
    ]);
  });

  it.each([
    ['receiver=queue+bills', [['queue bills', 'timed out', 1, 1]]],
    ['schedule=mail-2', [['mail.example.com/send', 'answered 500', 1, 1]]],
    ['error=timed+out&schedule=mail-1', [['mail.example.com/send', 'timed out', 1, 1]]],
    ['receiver=nowhere', []],
  ])('GET /v1/runs/dead-letters?%s groups only the runs that match', async (query, expected) => {
    expect(await groups(query)).toEqual(expected);
  });

  it('a failed run stays in the group of the receiver to which it was sent, even after its schedule gets another target', async () => {
    await api.call('PATCH', '/v1/schedules/bills', {
      body: { target: { type: 'queue', queue: 'invoices' } },
    });
    expect(await groups('schedule=bills')).toEqual([['queue bills', 'timed out', 1, 1]]);
  });

  it('dead letters of one project are invisible to other projects', async () => {
    const key = await api.keyFor({ project: 'stranger' });
    const { body } = await api.call('GET', '/v1/runs/dead-letters', { key });
    expect(body).toEqual({ runs: 0, complete: true, groups: [] });
  });
});

describe('Replaying dead letters', () => {
  const replay = async (body: object) => (await api.call('POST', '/v1/runs/replay', { body })).body;

  it('a dry run of a replay counts the runs that can be replayed and changes nothing', async () => {
    const group = { receiver: 'mail.example.com/send', error: 'answered 500' };
    const answer = await replay({ ...group, dryRun: true });
    // The runs of the cancelled schedule are not counted, because they can't be replayed.
    expect(answer).toMatchObject({ dryRun: true, replayed: 0, hasMore: false });
    expect(answer.preview).toMatchObject({ runs: 3, schedules: 2, examples: ['mail-1', 'mail-2'] });
    expect(await groups()).toHaveLength(3);
  });

  it.each([
    [{ filter: { tag: 'mail' } }, 4],
    [{ schedules: ['mail-2', 'bills'] }, 2],
    [{ schedule: 'mail-1', error: 'timed out' }, 1],
    [{ filter: { q: 'nothing' } }, 0],
    [{ limit: 2 }, 2],
  ])('a dry run of the replay %j counts only the failed runs that match', async (which, runs) => {
    expect((await replay({ ...which, dryRun: true })).preview.runs).toBe(runs);
  });

  it('a replay of one group of dead letters replays the runs of that group and no others, and the group is no longer listed', async () => {
    expect(await replay({ receiver: 'queue bills' })).toMatchObject({ replayed: 1, preview: null });
    expect(await groups('receiver=queue+bills')).toEqual([]);
    expect(await replay({ filter: { tag: 'mail' } })).toMatchObject({ replayed: 4, hasMore: false });
    expect(await groups()).toEqual([['mail.example.com/send', 'answered 500', 1, 1]]);
  });
});
