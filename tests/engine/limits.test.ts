import { type CreateResult, createSchedules } from '@carillon/db';
import { draft, useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();
const limits = { schedules: 3 };

const create = async (id: string): Promise<CreateResult['kind'] | undefined> => {
  const drafts = [draft({ id, rule: { every: 'PT1H' } }, Date.now())];
  const { pool, projectId } = database;
  const [created] = await createSchedules(pool, { projectId, drafts, actor: 'test', limits });
  return created?.kind;
};

it('ten concurrent creates in a project with a limit of three schedules create three, and repeating the creates changes nothing', async () => {
  const ids = Array.from({ length: 10 }, (_, n) => `crowd-${n}`);
  const kinds = await Promise.all(ids.map(create));
  expect(kinds.toSorted()).toEqual([...Array(3).fill('created'), ...Array(7).fill('over_limit')]);
  const again = await Promise.all(ids.map(create));
  expect(again).toEqual(kinds.map((kind) => (kind === 'created' ? 'same' : 'over_limit')));
});
