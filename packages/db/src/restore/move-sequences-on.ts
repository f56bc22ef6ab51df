import type { Database } from '../database.js';
import { statement } from '../statement.js';

/**
 * This many ids are skipped for each second of lost time. An installation creates several times fewer ids in a second.
 * Even after 2,800 years of lost time, the ids would be below 2^53.
 */
const IDS_PER_SECOND = 100_000;
/** Seconds that are added to the lost time. Its beginning is known only to within the time between two sweeps. */
const LOST_TIME_MARGIN_SECONDS = 60;

/**
 * Only bigint sequences are moved on. The only other sequence issues the ids of migrations, and no program but
 * `migrate` uses it.
 */
const moveOn = statement<{ by: number }, { sequence: string }>(
  'move-sequences-on',
  `select setval(c.oid::regclass, least(coalesce(pg_sequence_last_value(c.oid::regclass), 0) + :by::bigint, s.seqmax)) as moved,
          c.relname as sequence
   from pg_class c join pg_sequence s on s.seqrelid = c.oid
   where c.relnamespace = (select relnamespace from pg_class where oid = 'carillon.installation'::regclass)
     and s.seqtypid = 'bigint'::regtype`,
);

/** Moves every sequence past the numbers that it may have issued in the time whose transactions are lost. */
export async function moveSequencesOn(db: Database, lostMs: number): Promise<void> {
  const seconds = Math.ceil(Math.max(0, lostMs) / 1_000) + LOST_TIME_MARGIN_SECONDS;
  await moveOn(db, { by: seconds * IDS_PER_SECOND });
}
