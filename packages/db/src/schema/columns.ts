import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

/**
 * Instants carry milliseconds, no more: JavaScript has no microseconds, and a guard that compares
 * an instant which went through JavaScript with one that did not would never match.
 */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

export const id = (name: string) => bigint(name, { mode: 'number' });

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
