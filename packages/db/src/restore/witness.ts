import type { Database } from '../database.js';
import { type Evidence, type EvidenceVerdict, judgeEvidence } from './evidence.js';
import { holdForLoss } from './hold.js';

/**
 * Remembers a heartbeat that Postgres has committed, and holds the installation if Postgres no longer has it. A process
 * asks its witness whenever it opens a connection, so that it neither claims nor creates anything on a server that has
 * lost transactions.
 */
export class Witness {
  #evidence: Evidence | null = null;
  /** How many connections were verified. A connection to another server is always a new one. */
  connections = 0;

  get evidence(): Evidence | null {
    return this.#evidence;
  }

  remember(evidence: Evidence | null): void {
    this.#evidence = evidence;
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
    const verdict = await judgeEvidence(db, evidence);
    if (verdict === 'lost') await holdForLoss(db, evidence);
    return verdict;
  }
}
