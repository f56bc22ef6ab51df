import { useDatabase } from '@carillon/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { restoreCommand } from '../src/cli/restore-command.js';

const database = useDatabase();

beforeEach(() => {
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('REDIS_URL', database.redisUrl);
});
afterEach(() => vi.unstubAllEnvs());

const terminal = { style: (text: string) => text, columns: null };
const run = async (values: Record<string, boolean | string>) => {
  const output = await restoreCommand.run({ values, terminal } as never);
  if (!output) throw new Error('the command has no output');
  return output;
};

it('carillon restore exits with 2 for contradictory options and for a time that is not RFC 3339', async () => {
  expect(await run({ account: true, refire: true })).toMatchObject({
    exitCode: 2,
    text: 'choose one of --account and --refire',
  });
  expect(await run({ hold: true, adopt: true })).toMatchObject({ exitCode: 2 });
  expect(await run({ account: true, until: 'soon' })).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining('RFC 3339'),
  });
});

it('carillon restore without options shows what each decision would do, and holds nothing', async () => {
  const output = await run({});
  expect(output.text).toContain('Workers are not held: they claim as usual.');
  expect(output.json).toMatchObject({
    state: { generation: 1, hold: null },
    decisions: [{ mode: 'account' }, { mode: 'refire' }, { mode: 'by-policy' }],
  });
});

it('carillon restore --hold holds the workers, and --refire releases them once', async () => {
  expect(await run({ refire: true })).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining('not held'),
  });
  expect(await run({ hold: true })).toMatchObject({ exitCode: 0, text: expect.stringContaining('Held') });
  expect((await run({ refire: true, 'dry-run': true })).text).toContain('(held_by_operator)');
  expect(await run({ refire: true })).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining('generation 2'),
  });
  expect(await run({ refire: true })).toMatchObject({ exitCode: 1 });
});
