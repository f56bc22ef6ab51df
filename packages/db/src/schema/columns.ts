import { sql } from 'drizzle-orm';
import { bigint, customType, pgSchema } from 'drizzle-orm/pg-core';
import { parseInstant } from '../instants.js';

/**
 * Every table lives in this schema. An installation may choose another name (`DATABASE_SCHEMA`): then `openDatabase`
 * replaces the name in each statement.
 */
export const SCHEMA = 'carillon';
export const carillon = pgSchema(SCHEMA);

/**
 * An instant is a number of milliseconds since 1970 in JavaScript, and has millisecond precision in Postgres too. If
 * Postgres stored microseconds, an instant would lose digits on its way through JavaScript, and a guard that compares
 * it with the stored instant would never match.
 */
export const instant = customType<{ data: number; driverData: string | number }>({
  dataType: () => 'timestamp (3) with time zone',
  toDriver: (at) => sql`to_timestamp(${at}::float8 / 1000)`,
  // A connection of `openDatabase` returns a number. Drizzle's own driver returns the text that Postgres sent.
  fromDriver: (at) => (typeof at === 'number' ? at : parseInstant(at)),
});

export const id = (name: string) => bigint(name, { mode: 'number' });
export const NOW = sql`clock_timestamp()`;

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
