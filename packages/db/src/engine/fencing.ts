import type { Database } from '../database.js';
import { statement } from '../statement.js';

/**
 * The holder of a lease: a worker process, identified by its random token and by the installation's generation (a
 * number that grows when an operator decides how to go on after a restore or failover of the database).
 */
export interface Holder {
  workerId: number;
  token: string;
  generation: number;
}

/** A worker that claims runs, with the names of its handlers. */
export interface Claimant extends Holder {
  handlers: readonly string[];
}

/** SQL: true if the lease belongs to the holder whose fields are the statement's parameters. */
export const isHeldBy = (lease: string) =>
  `${lease}.worker_id = :workerId and ${lease}.token = :token and ${lease}.generation = :generation`;

/**
 * SQL: true if workers may claim. It is false while the installation is held: Postgres seems to have lost transactions
 * or to be a copy, or an operator has asked for the hold, and no operator has decided yet how to go on. Postgres
 * evaluates the sub-select once per statement.
 */
export const INSTALLATION_IS_RELEASED = '(select held_at is null from carillon.installation)';

/**
 * Thrown if this process has an old generation (a number of the installation). The generation has grown since the
 * process started, because an operator has decided how to go on after a restore or failover of the database. The
 * process must not write any more.
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
