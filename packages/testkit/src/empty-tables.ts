import type { TestDatabase } from './database.js';

/** Empties tables, also the audit log, which otherwise refuses to be truncated. */
export async function emptyTables({ pool }: TestDatabase, tables: readonly string[]): Promise<void> {
  await pool.query(`
    alter table carillon.audit_log disable trigger audit_log_no_truncate;
    truncate ${tables.map((table) => `carillon.${table}`).join()};
    alter table carillon.audit_log enable trigger audit_log_no_truncate`);
}
