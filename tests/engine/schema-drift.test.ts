import { schema, type Transaction } from '@carillon/db';
import { useDatabase } from '@carillon/testkit';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { expect, it } from 'vitest';

// drizzle-kit compares the schema only with its own snapshot. Parts of the migrations are written by hand, so these
// tests compare a migrated database with the tables that the schema itself would create, and keep a copy of what is
// written by hand in schema-by-hand.sql. `vitest run -u` on this file writes the copy anew.

const database = useDatabase();

async function query<Row extends object>(text: string): Promise<Row[]> {
  return (await database.pool.query<Row>(text)).rows;
}

/** Creates the tables as the schema declares them in a Postgres schema of their own, and rolls everything back. */
async function withDeclaredTables<T>(work: (client: Transaction) => Promise<T>): Promise<T> {
  const statements = await generateMigration(generateDrizzleJson({}), generateDrizzleJson(schema));
  // The default of a column `epoch` names a sequence that only the migration creates, so this name is not replaced.
  const renamed = (text: string) =>
    text.replaceAll('"carillon"', '"declared"').replace(/(?<!')\bcarillon\./g, 'declared.');
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    for (const text of statements) await client.query(renamed(text));
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The definitions of all columns, indexes and constraints, as Postgres prints them. */
const TABLES = (name: string) => `
  with tables as (
    select oid, relname from pg_class
    where relnamespace = '${name}'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'migrations'
  )
  select t.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
         || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') || a.attidentity::text as definition
  from tables t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped
  union all
  select pg_get_indexdef(i.indexrelid) from tables t join pg_index i on i.indrelid = t.oid
  union all
  select t.relname || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid)
  from tables t join pg_constraint c on c.conrelid = t.oid where c.contype <> 'n'`;

async function definitionsIn(client: Transaction, name: string): Promise<string[]> {
  const { rows } = await client.query<{ definition: string }>(TABLES(name));
  const withoutSchema = (text: string) =>
    text.replace(/\b(carillon|declared)\./g, '').replace(' ON ONLY ', ' ON ');
  return rows.map(({ definition }) => withoutSchema(definition)).sort();
}

it('the migrated tables have exactly the columns, indexes and constraints that the schema declares, with the same definitions', async () => {
  const { migrated, declared } = await withDeclaredTables(async (client) => ({
    migrated: await definitionsIn(client, 'carillon'),
    declared: await definitionsIn(client, 'declared'),
  }));
  expect(declared.length).toBeGreaterThan(400);
  // The migration creates the trigram index by hand, and only if its extension is available.
  const isByHand = (definition: string) => definition.startsWith('CREATE INDEX schedules_search ');
  expect(migrated.filter((definition) => !isByHand(definition))).toEqual(declared);
});

it('the views, partitioned tables, storage options, triggers and functions of a migrated database are those of schema-by-hand.sql', async () => {
  const rows = await query<{ title: string; definition: string }>(
    `select 'view ' || relname as title, pg_get_viewdef(oid) as definition
     from pg_class where relnamespace = 'carillon'::regnamespace and relkind in ('v', 'm')
     union all
     select 'partitioned table ' || c.relname, pg_get_partkeydef(c.oid)
     from pg_class c join pg_partitioned_table p on p.partrelid = c.oid where relnamespace = 'carillon'::regnamespace
     union all
     select distinct 'options of ' || regexp_replace(relname, '_\\d{4}_\\d\\d$', ' of a month'), array_to_string(reloptions, ', ')
     from pg_class where relnamespace = 'carillon'::regnamespace and reloptions is not null
     union all
     select 'trigger ' || tgname, pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'carillon'::regnamespace and not tgisinternal and t.tgparentid = 0
     union all
     select 'function ' || proname || '(' || pg_get_function_identity_arguments(oid) || ')',
            pg_get_function_result(oid) || case when prosecdef then ' security definer' else '' end
            || coalesce(' set ' || array_to_string(proconfig, ', '), '') || prosrc
     from pg_proc where pronamespace = 'carillon'::regnamespace`,
  );
  // Older versions of Postgres name the table of each column of a view, and the schema is named or not according to the
  // search path. So both names are removed.
  const parts = rows.map(({ title, definition }) => `-- ${title}\n${definition.trim()}\n`);
  const text = parts.sort().join('\n');
  await expect(text.replace(/\b(carillon|runs|attempts)\./g, '')).toMatchFileSnapshot('schema-by-hand.sql');
});

it('every partition has the indexes and constraints of its table', async () => {
  const rows = await query<{ partition: string; indexes: string; checks: string; parent: string }>(
    `select c.relname as partition, p.relname as parent,
            (select count(*) from pg_index where indrelid = c.oid) = (select count(*) from pg_index where indrelid = p.oid) as indexes,
            (select count(*) from pg_constraint where conrelid = c.oid and contype = 'c')
              = (select count(*) from pg_constraint where conrelid = p.oid and contype = 'c') as checks
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.relnamespace = 'carillon'::regnamespace and p.relkind = 'p'`,
  );
  expect(rows.length).toBeGreaterThanOrEqual(6);
  expect(rows.filter(({ indexes, checks }) => !indexes || !checks)).toEqual([]);
});
