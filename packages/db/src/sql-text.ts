/** SQL for an instant in milliseconds since the epoch, and back. Doubles hold both exactly. */
export const toMs = (expression: string) => `round(date_part('epoch', ${expression}) * 1000)::bigint`;
export const fromMs = (expression: string) => `to_timestamp((${expression})::float8 / 1000)::timestamptz(3)`;

/**
 * The time that a statement goes by: the parameter where a test or the simulation moves time, else Postgres's clock.
 * The sub-select is evaluated once; bare, `clock_timestamp()` is volatile and no index could be searched by it.
 */
export const nowOr = (parameter: string) =>
  `(select coalesce(${fromMs(`${parameter}::bigint`)}, clock_timestamp()))`;

/**
 * A Postgres array literal of numbers and nulls. One of nothing but nulls is the empty one: beside others, `unnest` fills
 * it up with nulls, and Postgres has nothing to parse.
 */
export function numberArray(values: readonly (number | null)[]): string {
  if (values.every(isNull)) return '{}';
  let text = '{';
  for (let i = 0; i < values.length; i++) text += i === 0 ? (values[i] ?? 'null') : `,${values[i] ?? 'null'}`;
  return `${text}}`;
}

const isNull = (value: unknown) => value === null;

/** A Postgres array literal of texts and nulls; of nothing but nulls likewise. */
export function textArray(values: readonly (string | null)[]): string {
  if (values.every(isNull)) return '{}';
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? null;
    if (i > 0) text += ',';
    text += value === null ? 'null' : PLAIN.test(value) ? value : quote(value);
  }
  return `${text}}`;
}

/** Needs no quotes in an array literal; the word null would, so it is not among these. */
const PLAIN = /^(?!null$)[a-z_]+$/i;

function quote(value: string): string {
  // Postgres has no NUL in text; what came from outside may.
  return `"${value.replaceAll('\0', '\uFFFD').replace(/["\\]/g, '\\$&')}"`;
}

/**
 * That a row is the one which a batch names by its key. Written as an equation it could be read both ways, and a plan that was
 * made while the table was empty would go through all of the table and, for each row, through the batch. This can only be looked up.
 */
export const found = (column: string, key: string) => `${column} between ${key} and ${key}`;
