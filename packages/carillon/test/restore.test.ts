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

it('carillon restore exits with 2 if options contradict each other, such as --hold and --until', async () => {
  expect(await run({ account: true, refire: true })).toMatchObject({
    exitCode: 2,
    text: 'choose one of --account and --refire',
  });
  expect(await run({ hold: true, adopt: true })).toMatchObject({ exitCode: 2 });
  expect(await run({ hold: true, until: '2026-11-18T09:00:00Z' })).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining('leave --until out'),
  });
});

it.each(['soon', '5', '2026', '2026-11-18', '2026-11-18T09:00:00', '18 Nov 2026 09:00 UTC', ''])(
  'carillon restore refuses --until "%s", which is not RFC 3339, and says what it expects',
  async (until) => {
    expect(await run({ account: true, until })).toMatchObject({
      exitCode: 2,
      text: `--until ${until}: expected an RFC 3339 time with Z or an offset, such as 2026-11-18T09:00:00Z`,
    });
  },
);

it.each(['2026-11-18T09:00:00Z', '2026-11-18T10:00:00+01:00'])(
  'carillon restore with only --until %s shows what --account, --refire and --by-policy would do',
  async (until) => {
    expect(await run({ until })).toMatchObject({ json: { decisions: [{}, {}, {}] } });
  },
);

it('carillon restore without options shows what --account, --refire and --by-policy would do, and workers claim as before', async () => {
  const output = await run({});
  expect(output.text).toContain('Workers are not held: they claim as usual.');
  expect(output.json).toMatchObject({
    state: { generation: 1, hold: null },
    decisions: [{ mode: 'account' }, { mode: 'refire' }, { mode: 'by-policy' }],
  });
});

it('carillon restore --hold keeps workers from claiming, --refire lets them claim again, and a second --refire is refused', async () => {
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
