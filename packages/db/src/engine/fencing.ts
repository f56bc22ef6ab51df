import type { Database } from '../database.js';
import { statement } from '../statement.js';

/** The holder of a lease: a worker process, identified by its random token and the generation of the installation. */
export interface Holder {
  workerId: number;
  token: string;
  generation: number;
}

/** A worker that claims runs, with the names of its handlers. */
export interface Claimant extends Holder {
  handlers: readonly string[];
}

/** SQL: true if a lease belongs to the holder in the statement's parameters. */
export const isHeldBy = (lease: string) =>
  `${lease}.worker_id = :workerId and ${lease}.token = :token and ${lease}.generation = :generation`;

/** SQL: true unless the installation is held. Postgres evaluates it once per statement. */
export const INSTALLATION_IS_RELEASED = '(select held_at is null from carillon.installation)';

/**
 * Thrown if the installation has another generation than when this process started. The process must not write any
 * more.
 */
export class StaleGeneration extends Error {
  constructor() {
    super('the database was restored or failed over since this process started; restart it');
  }
}

const select = statement<object, { generation: number }>(
  'read-generation',
  'select generation from carillon.installation',
);

export async function readGeneration(db: Database): Promise<number> {
  const [row] = await select(db, {});
  if (!row) throw new Error('the table "installation" is empty; run the migrations');
  return row.generation;
}
