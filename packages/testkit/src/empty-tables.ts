import type { TestDatabase } from './database.js';

/** Empties tables of Carillon. A trigger of the audit log refuses that, so it is disabled meanwhile. */
export async function emptyTables({ pool }: TestDatabase, tables: readonly string[]): Promise<void> {
  await pool.query(`
    alter table carillon.audit_log disable trigger audit_log_no_truncate;
    truncate ${tables.map((table) => `carillon.${table}`).join()};
    alter table carillon.audit_log enable trigger audit_log_no_truncate`);
}
