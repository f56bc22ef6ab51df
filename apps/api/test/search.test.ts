import { insertSchedules } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { NOOP, useApi } from './use-api.js';

const api = useApi();

/**
 * If fewer than 2,000 schedules are due in the range of a search, Postgres reads them all and uses no index of texts or
 * tags. The tests need a range with more schedules than that.
 */
const SCHEDULES_IN_RANGE = 2_600;
const all = Array.from({ length: SCHEDULES_IN_RANGE }, (_, n) => ({
  // Schedules that are created together get their internal ids in the order of their keys as text. The number is
  // padded, so that this is also the order of the numbers.
  id: `order-${String(n).padStart(4, '0')}`,
  name: `${n % 2 === 0 ? 'Invoice' : 'Export'} of customer ${n}${n < 30 ? ' veteran' : ''}`,
  tags: [...(n < 100 ? ['old'] : []), ...(n % 40 === 0 ? ['spread'] : [])],
}));

const [BETWEEN, LATER] = ['2099-06-01T00:00:00Z', '2100-01-01T00:00:00Z'];

beforeAll(async () => {
  await insertSchedules(
    api.database,
    all.map((schedule, n) => ({
      ...schedule,
      rule: { at: n < 5 ? '2099-07-01T00:00:00Z' : '2099-01-01T00:00:00Z' },
      target: NOOP,
    })),
  );
  for (const { id } of all.filter((_, n) => n % 200 === 0))
    await api.call('POST', `/v1/schedules/${id}/pause`);
});

/** Reads all pages of a search. */
async function idsMatching(query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const at: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { body } = await api.call('GET', `/v1/schedules?${query}&limit=50${at}`);
    ids.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  } while (cursor !== null);
  return ids;
}

/** The ids that a search must find, newest first. */
const expected = (matches: (schedule: (typeof all)[number], n: number) => boolean) =>
  all
    .filter(matches)
    .map(({ id }) => id)
    .reverse();
const isPaused = (n: number) => n % 200 === 0;

describe('Search', () => {
  it.each<[string, string, Parameters<typeof expected>[0]]>([
    ['a common text', 'q=invoice', ({ name }) => name.startsWith('Invoice')],
    ['a rare text of old schedules', 'q=veteran', (_, n) => n < 30],
    ['a text that nothing has', 'q=xyzzy', () => false],
    ['two letters at the beginning of a word', 'q=ve', (_, n) => n < 30],
    ['two letters that no word begins with', 'q=zq', () => false],
    ['a common text with a tag of old schedules', 'q=invoice&tag=old', (_, n) => n < 100 && n % 2 === 0],
    ['a common text with a tag that is spread', 'q=invoice&tag=spread', (_, n) => n % 40 === 0],
    ['a common text with a tag that excludes it', 'q=export&tag=spread', () => false],
    ['a common text of paused schedules', 'q=invoice&status=paused', (_, n) => isPaused(n)],
    ['a common text of active schedules', 'q=invoice&status=active', (_, n) => n % 2 === 0 && !isPaused(n)],
    ['a common text of finished schedules', 'q=invoice&status=finished', () => false],
    ['a rare text with a tag', 'q=veteran&tag=spread', (_, n) => n === 0],
    [
      'a rare tag in a wide range of due times',
      `tag=old&dueBefore=${LATER}`,
      (_, n) => n < 100 && !isPaused(n),
    ],
    ['a common text in a wide range of due times', `q=export&dueBefore=${LATER}`, (_, n) => n % 2 === 1],
    [
      'a tag in a narrow range of due times',
      `tag=old&dueBefore=${LATER}&dueAfter=${BETWEEN}`,
      (_, n) => n < 5 && n > 0,
    ],
    ['an id', 'q=order-2599', (_, n) => n === 2_599],
  ])('a search for %s finds each match exactly once, newest first', async (_what, query, matches) => {
    expect(await idsMatching(query)).toEqual(expected(matches));
  });
});
