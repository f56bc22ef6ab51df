import { schema } from '@carillon/db';
import { useDatabase } from '@carillon/testkit';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { expect, it } from 'vitest';

// drizzle-kit compares the schema only with its own snapshot. Parts of the migrations are written by hand, so these
// tests compare the schema with a migrated database.

const database = useDatabase();
const tables = Object.values(schema).filter((value) => is(value, PgTable));

async function query<Row extends object>(text: string): Promise<Row[]> {
  return (await database.pool.query<Row>(text)).rows;
}

it('the migrated tables have exactly the columns that the schema declares', async () => {
  const rows = await query<{ table: string; column: string; type: string; is_not_null: boolean }>(
    `select c.relname as table, a.attname as column, case t.typtype when 'e' then 'carillon.' || t.typname else format_type(a.atttypid, a.atttypmod) end as type, a.attnotnull as is_not_null
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
     where c.relnamespace = 'carillon'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and c.relname <> 'migrations'`,
  );
  const migrated = rows.map(
    (row) => `${row.table}.${row.column} ${row.type}${row.is_not_null ? ' not null' : ''}`,
  );
  const declared = tables.flatMap((table) => {
    const { name, columns, primaryKeys } = getTableConfig(table);
    const keys = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
    return columns.map((column) => {
      const isNotNull = column.notNull || column.primary || keys.has(column.name);
      return `${name}.${column.name} ${catalogType(column.getSQLType())}${isNotNull ? ' not null' : ''}`;
    });
  });
  expect(migrated.sort()).toEqual(declared.sort());
});

/** Returns the name in Postgres's catalog for a type as drizzle writes it. */
function catalogType(type: string): string {
  if (type === 'bigserial') return 'bigint';
  if (type.startsWith('timestamp (3)')) return 'timestamp(3) with time zone';
  const isEnum = ['schedule_status', 'run_status', 'run_origin', 'attempt_outcome'].includes(type);
  return isEnum ? `carillon.${type}` : type;
}

it('the migrated tables have exactly the indexes and constraints that the schema declares', async () => {
  const rows = await query<{ name: string }>(
    `select c.relname || ' index ' || n.relname as name
     from pg_index i join pg_class c on c.oid = i.indrelid join pg_class n on n.oid = i.indexrelid
     where c.relnamespace = 'carillon'::regnamespace and not c.relispartition and not i.indisprimary
       and c.relname <> 'migrations' and not exists (select from pg_constraint where conindid = i.indexrelid)
     union all
     select c.relname || ' check ' || con.conname
     from pg_constraint con join pg_class c on c.oid = con.conrelid
     where c.relnamespace = 'carillon'::regnamespace and not c.relispartition and con.contype = 'c'`,
  );
  const declared = tables.flatMap((table) => {
    const { name, indexes, checks } = getTableConfig(table);
    return [
      ...indexes.map(({ config }) => `${name} index ${config.name}`),
      ...checks.map((check) => `${name} check ${check.name}`),
    ];
  });
  // The migration creates the trigram index by hand, and only if its extension is available.
  declared.push('schedules index schedules_search');
  expect(rows.map(({ name }) => name).sort()).toEqual(declared.sort());
});

it('a migrated database has exactly the known views, partitioned tables, triggers and functions', async () => {
  const rows = await query<{ name: string }>(
    `select 'view ' || relname as name from pg_class where relnamespace = 'carillon'::regnamespace and relkind in ('v', 'm')
     union all
     select 'partitioned by list(month) ' || relname from pg_class c join pg_partitioned_table p on p.partrelid = c.oid
     where relnamespace = 'carillon'::regnamespace and pg_get_partkeydef(c.oid) = 'LIST (month)'
     union all
     select 'trigger ' || tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'carillon'::regnamespace and not tgisinternal
     union all
     select 'function ' || proname from pg_proc where pronamespace = 'carillon'::regnamespace`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([
    'function bind_role',
    'function cancel',
    'function list_stopped',
    'function notify_request',
    'function refuse_change',
    'function schedule',
    'function sql_caller',
    'function trigger',
    'function unbind_role',
    'function watch_slo',
    'partitioned by list(month) attempts',
    'partitioned by list(month) runs',
    'trigger audit_log_append_only',
    'trigger audit_log_no_truncate',
    'trigger schedules_list_stopped',
    'trigger schedules_slo_changed',
    'trigger schedules_slo_created',
    'trigger schedules_slo_deleted',
    'trigger sql_requests_notify',
    'view run_attempts',
  ]);
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
