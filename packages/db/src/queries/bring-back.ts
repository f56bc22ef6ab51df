import type { Database } from '../database.js';

/** Which of the schedules that have fired once and left no row: a condition on `every_schedule` as `e`. */
interface Which {
  where: string;
  values: unknown[];
}

/**
 * Writes the row of schedules that are gone anew, as the claim would have left it, for whoever is to change them or is about to
 * drop what tells of them. Two at once: the second waits for the first, and finds the row.
 */
export async function bringBack(db: Database, { where, values }: Which): Promise<void> {
  await db.query(
    `insert into schedules (id, project_id, key, status, version, definition_version, runs_total, last_run_at, last_enqueued_at,
                            created_at, updated_at)
     select id, project_id, key, status, version, definition_version, runs_total, last_run_at, last_enqueued_at, created_at, updated_at
     from every_schedule e where is_gone and ${where}
     on conflict do nothing`,
    values,
  );
}
