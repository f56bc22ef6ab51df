import type { Database } from '../database.js';
import { type Evidence, type EvidenceVerdict, judgeEvidence, type RememberedRow } from './evidence.js';
import { holdForLoss } from './hold.js';

/**
 * Remembers a heartbeat that Postgres has committed, and the latest row that Postgres has committed after it. If
 * Postgres no longer has them, it has lost transactions, and the witness holds the installation: no worker claims until
 * an operator decides. Each process has a witness and asks it for every new connection, so that the process neither
 * claims nor creates anything on a server that has lost transactions.
 */
export class Witness {
  #evidence: Evidence | null = null;
  #row: RememberedRow | null = null;
  /**
   * Number of new connections that were verified. A process reaches another server only by a new connection, so while
   * this number stays the same, the server does too.
   */
  connections = 0;

  get evidence(): Evidence | null {
    return this.#evidence;
  }

  remember(evidence: Evidence | null): void {
    this.#evidence = evidence;
    // If Postgres loses transactions, it loses all of them after some point in time. The row is older than this
    // heartbeat, so a Postgres that still has the heartbeat also has the row, and the row can be forgotten.
    if (!evidence || (this.#row && this.#row.at < evidence.at)) this.#row = null;
  }

  /**
   * Remembers a row that was written after the heartbeat, so that the witness also notices if Postgres loses the row
   * but keeps the heartbeat.
   */
  rememberRow(row: RememberedRow | null): void {
    if (row && this.#evidence && row.at >= this.#evidence.at) this.#row = row;
  }

  /** Calls `verify` on a connection that was just opened, and counts the connection. */
  async verifyConnection(client: Database): Promise<void> {
    await this.verify(client);
    this.connections++;
  }

  /**
   * Verifies that Postgres still has what this process remembers, and holds the installation if it does not. Throws if
   * Postgres does not answer.
   */
  async verify(db: Database): Promise<EvidenceVerdict | null> {
    const evidence = this.#evidence;
    if (!evidence) return null;
    const row = this.#row;
    const verdict = await judgeEvidence(db, evidence, row);
    if (verdict === 'lost') await holdForLoss(db, evidence);
    if (verdict !== 'row_lost') return verdict;
    await holdForLoss(db, evidence, row);
    return 'lost';
  }
}
