import type { Database } from '../database.js';
import { type Evidence, type EvidenceVerdict, judgeEvidence, type RememberedRow } from './evidence.js';
import { holdForLoss } from './hold.js';

/**
 * Remembers a heartbeat that Postgres has committed, and the latest row after it, and holds the installation if
 * Postgres no longer has them. A process asks its witness whenever it opens a connection, so that it neither claims nor
 * creates anything on a server that has lost transactions.
 */
export class Witness {
  #evidence: Evidence | null = null;
  #row: RememberedRow | null = null;
  /** How many connections were verified. A connection to another server is always a new one. */
  connections = 0;

  get evidence(): Evidence | null {
    return this.#evidence;
  }

  remember(evidence: Evidence | null): void {
    this.#evidence = evidence;
    // A later heartbeat stands for the row as well, because Postgres loses its last transactions together.
    if (!evidence || (this.#row && this.#row.at < evidence.at)) this.#row = null;
  }

  /** Remembers a row that was written after the heartbeat, so that the loss of a shorter tail is noticed too. */
  rememberRow(row: RememberedRow | null): void {
    if (row && this.#evidence && row.at >= this.#evidence.at) this.#row = row;
  }

  /** Verifies a connection that was just opened. */
  async verifyConnection(client: Database): Promise<void> {
    await this.verify(client);
    this.connections++;
  }

  /** Verifies that Postgres has what this process remembers. Throws if Postgres does not answer. */
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
