import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@carillon/db';
import { eventually, useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();

it('What is wrong with a migration itself is said at once', async () => {
  const folder = await migrationOf('ALTER TABLE "no_such_table" ADD COLUMN "extra" integer');
  await expect(migrate(database.url, { folder })).rejects.toMatchObject({ cause: { code: '42P01' } });
  await rm(folder, { recursive: true });
});

it('A migration that meets a transaction halfway gives way to it, and is done after it', async () => {
  const folder = await migrationOf(
    'ALTER TABLE "runs" ADD COLUMN "extra" integer',
    'ALTER TABLE "leases" ADD COLUMN "extra" integer',
  );
  const worker = await database.pool.connect();
  try {
    await worker.query('begin');
    await worker.query('lock table leases in row exclusive mode');
    const migrated = migrate(database.url, { folder });
    await eventually(
      async () => {
        const { rows } = await database.pool.query(
          `select from pg_locks where relation = 'leases'::regclass and not granted`,
        );
        return rows.length > 0;
      },
      { what: 'the migration waiting for the leases, with the runs locked' },
    );
    // Now the worker wants what the migration holds, while the migration wants what the worker holds.
    await worker.query('lock table runs in row exclusive mode');
    await worker.query('commit');
    await migrated;
    const { rows } = await database.pool.query(
      `select table_name from information_schema.columns where column_name = 'extra' order by 1`,
    );
    expect(rows.map(({ table_name }) => table_name)).toEqual(
      expect.arrayContaining(['leases', 'runs', 'runs_default']),
    );
  } finally {
    worker.release();
    await rm(folder, { recursive: true });
  }
});

/** A folder with one migration, later than all there are. */
async function migrationOf(...statements: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-migrations-'));
  await mkdir(join(folder, 'meta'));
  await writeFile(join(folder, '9999_later.sql'), statements.join(';--> statement-breakpoint\n'));
  const entry = {
    idx: 0,
    version: '7',
    when: Date.parse('2999-01-01'),
    tag: '9999_later',
    breakpoints: true,
  };
  await writeFile(
    join(folder, 'meta', '_journal.json'),
    JSON.stringify({ version: '7', dialect: 'postgresql', entries: [entry] }),
  );
  return folder;
}
