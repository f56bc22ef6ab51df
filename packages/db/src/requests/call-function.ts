import { sql } from 'drizzle-orm';
import { SCHEMA } from '../schema/columns.js';

/** A `pg` client in a transaction of the user's program, or any other object with the same `query` method. */
interface QueryTransaction {
  query(text: string, values: unknown[]): PromiseLike<{ rows: unknown[] }>;
}

/** A drizzle transaction, of any driver for Postgres. */
interface DrizzleTransaction {
  execute(query: never): PromiseLike<unknown>;
}

/** A transaction of the user's own program. */
type UserTransaction = QueryTransaction | DrizzleTransaction;

/** A call of one of Carillon's SQL functions. Arguments without a value are left out. */
interface FunctionCall {
  name: 'schedule' | 'cancel' | 'trigger';
  arguments: Readonly<
    Record<string, { type: 'text' | 'timestamptz' | 'interval' | 'jsonb'; value: string | undefined }>
  >;
  /** The schema of the installation (default `carillon`). */
  schema?: string | undefined;
}

/**
 * Calls one of Carillon's SQL functions in the user's transaction; returns its result. Every value is a parameter, sent
 * as text, so that no driver converts it in its own way.
 */
export async function callFunction(
  tx: UserTransaction,
  { name, arguments: args, schema = SCHEMA }: FunctionCall,
): Promise<unknown> {
  const given = Object.entries(args).flatMap(([argument, { type, value }]) =>
    value === undefined ? [] : [{ argument, type, value }],
  );
  const begin = `select ${quote(schema)}.${quote(name)}(`;
  const end = ') as result';
  if (isDrizzle(tx)) {
    const parts = given.map(
      ({ argument, type, value }) => sql`${sql.raw(quote(argument))} => ${value}::text::${sql.raw(type)}`,
    );
    const call = sql`${sql.raw(begin)}${sql.join(parts, sql`, `)}${sql.raw(end)}`;
    return resultOf(await tx.execute(call as never));
  }
  const list = given.map(({ argument, type }, i) => `${quote(argument)} => $${i + 1}::text::${type}`);
  const values = given.map(({ value }) => value);
  return resultOf(await tx.query(`${begin}${list.join(', ')}${end}`, values));
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Only a drizzle transaction has a function `execute`. A drizzle transaction has a property `query` too, but that is
 * not a function.
 */
const isDrizzle = (tx: UserTransaction): tx is DrizzleTransaction =>
  typeof (tx as Partial<DrizzleTransaction>).execute === 'function';

/** Some drivers return the rows themselves, others an object that holds them. */
function resultOf(answer: unknown): unknown {
  const rows = Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows;
  return (rows[0] as { result: unknown } | undefined)?.result;
}
