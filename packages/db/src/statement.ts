import type { Database } from './database.js';

export type Values = Record<string, unknown>;

/** A function that runs one SQL statement. It takes a connection, and the statement's parameters by name. */
export type Statement<Parameters extends object, Row extends object> = (
  db: Database,
  parameters: Parameters,
) => Promise<Row[]>;

/**
 * The text of each statement by its name. Two texts must not share a name, because Postgres prepares only one text
 * under a name on each connection.
 */
const texts = new Map<string, string>();

const PARAMETER = /(?<![:\w]):([A-Za-z]\w*)/g;

/**
 * A prepared statement with named parameters: `:name` in the text, `{ name: value }` at the call. The names of its
 * columns, such as `"scheduleId"`, are the field names of the returned rows.
 */
export function statement<Parameters extends object, Row extends object = never>(
  name: string,
  text: string,
): Statement<Parameters, Row> {
  if ((texts.get(name) ?? text) !== text)
    throw new Error(`two prepared statements have the name ${name}; give one of them another name`);
  texts.set(name, text);
  const { positional, names } = numberParameters(text);
  return async (db, parameters) => {
    const values = names.map((key) => (parameters as Values)[key] ?? null);
    const { rows } = await db.query<Row>({ name, text: positional, values });
    return rows;
  };
}

/** Runs a statement whose text is put together at run time. It is not prepared, because there are too many variants. */
export async function query<Row extends object>(
  db: Database,
  text: string,
  parameters: Values,
): Promise<Row[]> {
  const { positional, names } = numberParameters(text);
  const { rows } = await db.query<Row>(
    positional,
    names.map((key) => parameters[key] ?? null),
  );
  return rows;
}

function numberParameters(text: string): { positional: string; names: string[] } {
  const names: string[] = [];
  const positional = text.replace(PARAMETER, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { positional, names };
}

type ColumnType = 'bigint' | 'int' | 'float8' | 'text' | 'boolean' | 'date' | 'instant' | (string & {});

/**
 * Rows that are passed to a statement together. The SQL text uses them as a table, and the parameters hold one array
 * per column.
 */
export interface Batch<Row> {
  /** SQL for the `from` list: the batch as a table with one column per field. */
  source: string;
  /** Returns the parameters that carry these rows. */
  of(rows: readonly Row[]): Values;
}

/**
 * Describes a batch. Field names are camelCase here and snake_case in SQL. Instants are sent as milliseconds. A column
 * whose values are all null is sent as an empty array, which `unnest` fills up with nulls.
 */
export function batch<Row extends object>(
  name: string,
  columns: { [Field in keyof Row & string]: ColumnType },
): Batch<Row> {
  const fields = Object.keys(columns) as (keyof Row & string)[];
  const arrays = fields.map((field) => `:${name}_${field}::${wireType(columns[field])}[]`);
  const selected = fields.map((field) => {
    const column = snake(field);
    return columns[field] === 'instant' ? `to_timestamp(${column}::float8 / 1000) as ${column}` : column;
  });
  return {
    source: `(select ${selected.join(', ')} from unnest(${arrays.join(', ')}) as ${name}_row(${fields.map(snake).join(', ')})) as ${name}`,
    of: (rows) => Object.fromEntries(fields.map((field) => [`${name}_${field}`, columnOf(rows, field)])),
  };
}

const wireType = (type: ColumnType) => (type === 'instant' ? 'bigint' : type);
const snake = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Builds a Postgres array literal. The driver's own conversion takes several times as long for a large batch. */
export const arrayOf = (values: readonly (string | number)[]): string => `{${values.map(element).join()}}`;

/** One field of all rows as a Postgres array literal; empty if every value is null. */
function columnOf<Row>(rows: readonly Row[], field: keyof Row): string {
  let text = '';
  let hasValue = false;
  // Rows of a batch often have the same value as the row before, such as a status or a reason. Then its text is reused.
  let last: unknown = null;
  let lastText = '';
  for (const row of rows) {
    const value = row[field];
    if (value === null || value === undefined) text += ',null';
    else {
      if (value !== last) {
        last = value;
        lastText = `,${element(value)}`;
      }
      hasValue = true;
      text += lastText;
    }
  }
  return hasValue ? `{${text.slice(1)}}` : '{}';
}

/** Texts that need no quotes in an array literal. The word `null` needs quotes, because it would mean a null value. */
const PLAIN = /^(?!null$)[a-z_]+$/i;

function element(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  if (PLAIN.test(value)) return value;
  // Postgres can't store NUL in a text, but a receiver's answer may hold one.
  return `"${value.replaceAll('\0', '\uFFFD').replace(/["\\]/g, '\\$&')}"`;
}
