import {
  type Claimant,
  type ClaimedRun,
  type Evidence,
  type Heartbeat,
  holdForLoss,
  holdInstallation,
  judgeEvidence,
  readInstallationState,
  readServerIdentity,
  recordHome,
  signOff,
  type Witness,
} from '@carillon/db';
import type { OutsideMark } from '@carillon/queue';
import { HOLD_ADVICE, type Hold, judgeHome, type MarkState } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

interface MembershipParts {
  pool: Pool;
  log: Logger;
  witness: Witness;
  /** The mark: the latest committed heartbeat, kept in Redis. Null if this installation runs without Redis. */
  outsideMark: OutsideMark | null;
  /**
   * The address of the database without credentials. Null for loopback and sockets, because on another machine they
   * mean another server.
   */
  address: string | null;
  /**
   * Registers this process as a worker, under the current generation: a number of the installation that grows when an
   * operator decides how to go on after a restore or failover of the database.
   */
  register: () => Promise<Claimant>;
}

/**
 * Decides whether this worker may claim. Before the worker starts, and with each heartbeat, it checks whether Postgres
 * has lost transactions or is a copy. If so, the installation is held: no worker claims anything until an operator
 * decides how to go on. After the decision the worker joins again, under the new generation.
 */
export class Membership {
  #hold: Hold | null = null;
  #holder: Claimant | null = null;
  /** A heartbeat that Postgres has lost. Null again once Postgres has stored that the installation is held. */
  #lost: Evidence | null = null;
  /** True once the mark in Redis was compared with Postgres. Before that, the mark must not be overwritten. */
  #isMarkCompared = false;
  /**
   * Number of connections that this process had opened when it last compared the Postgres server with the one that the
   * workers used before. A new connection may lead to another server, so the comparison is repeated after it.
   */
  #comparedConnections = 0;
  #warnedOf = '';

  constructor(private readonly parts: MembershipParts) {}

  /** True while this worker must not claim. */
  get isHeld(): boolean {
    return this.#hold !== null || this.#lost !== null;
  }

  /** Checks whether Postgres has lost transactions or is a copy, and only then registers the worker. */
  async join(): Promise<Claimant> {
    await this.#compare();
    this.#holder = await this.parts.register();
    this.#nameInLog(this.#holder);
    return this.#holder;
  }

  /**
   * Judges the answer to a heartbeat: the installation may be held, or Postgres may have lost the heartbeat before.
   * Returns true if the installation was held and this worker may claim again.
   */
  async note({ beats, nowAt, installation }: Heartbeat): Promise<boolean> {
    const { witness, pool } = this.parts;
    const holder = this.#holder as Claimant;
    const known = witness.evidence;
    const { id: installationId, generation, hold } = installation;
    if (hold) {
      this.#lost = null;
      this.#tell(hold);
      return false;
    }
    const hasLost =
      known !== null &&
      known.generation >= generation &&
      (known.generation > generation || beats === null || beats <= known.beats);
    if (hasLost) this.#lost ??= known;
    if (this.#lost) {
      await holdForLoss(pool, this.#lost);
      this.#lost = null;
      this.#tell((await readInstallationState(pool)).hold);
      return false;
    }
    this.#tell(null);
    if (generation !== holder.generation) return this.#rejoin(holder);
    if (beats !== null) {
      const { workerId, token } = holder;
      witness.remember({ installationId, generation, workerId, token, beats, at: nowAt });
    }
    return false;
  }

  /**
   * Remembers one run of a committed claim until the next heartbeat. If Postgres loses this run but keeps the latest
   * heartbeat, the loss is noticed too.
   */
  rememberClaim(runs: readonly ClaimedRun[]): void {
    const { witness } = this.parts;
    const started = runs.findLast(
      ({ origin, recordedAt, claimedAt }) => origin === 'rule' && recordedAt === claimedAt,
    );
    if (!started || !this.#holder) return;
    const { projectId, scheduleKey, scheduleId, occurrenceAt, recordedAt: at } = started;
    const { generation } = this.#holder;
    witness.rememberRow({
      kind: 'run',
      projectId,
      scheduleKey,
      scheduleId,
      occurrenceAt,
      generation,
      at,
    });
  }

  /**
   * Writes the latest committed heartbeat to Redis as the mark. The old mark is replaced only after it was compared
   * with Postgres. If that has not been done yet, this call compares it first. Nothing is written while the
   * installation is held. Called while Redis takes writes.
   */
  async keepMark(): Promise<void> {
    const { outsideMark, witness } = this.parts;
    if (this.isHeld) return;
    if (!this.#isMarkCompared || this.#comparedConnections !== witness.connections) await this.#compare();
    const { evidence } = witness;
    if (outsideMark && evidence && this.#isMarkCompared && !this.isHeld) await outsideMark.write(evidence);
  }

  /**
   * From now on, each log line names the worker. After the installation was held, the worker has a new id. Its log
   * lines then contain `workerId` twice, and the last one is valid.
   */
  #nameInLog({ workerId }: Claimant): void {
    this.parts.log.setBindings({ workerId });
  }

  async #rejoin(holder: Claimant): Promise<boolean> {
    const { pool, log, witness, register } = this.parts;
    await signOff(pool, holder).catch(() => {});
    witness.remember(null);
    this.#isMarkCompared = false;
    // The parts of this worker share this object, so it is changed in place. Leases of the old generation can no longer
    // be extended.
    Object.assign(holder, await register());
    this.#nameInLog(holder);
    const { generation } = holder;
    log.info({ generation }, 'The hold was released: this worker claims again, under a new generation');
    await this.#compare();
    return !this.isHeld;
  }

  /**
   * Compares Postgres with the mark (the copy in Redis of the latest committed heartbeat of a worker), and this
   * Postgres server with the one that workers used before.
   */
  async #compare(): Promise<void> {
    const { pool, log, witness, address } = this.parts;
    this.#comparedConnections = witness.connections;
    const state = await readInstallationState(pool);
    if (state.hold) return this.#tell(state.hold);
    const mark = await this.#readMark(state.id);
    if (mark === 'lost') return this.#tell((await readInstallationState(pool)).hold);
    const isRemembered = witness.evidence !== null;
    const server = { ...(await readServerIdentity(pool)), address };
    const verdict = judgeHome(state.home, server, isRemembered ? 'intact' : mark);
    if (verdict.kind === 'moved') await recordHome(pool, verdict.home, state.generation);
    if (verdict.kind === 'copied') {
      const { reason } = verdict;
      const seenGeneration = state.generation;
      await holdInstallation(pool, {
        code: 'database_copied',
        reason,
        actor: 'carillon',
        seenGeneration,
        beforeAt: null,
        now: null,
      });
      return this.#tell((await readInstallationState(pool)).hold);
    }
    if (verdict.kind === 'suspect' && verdict.reason !== this.#warnedOf) {
      this.#warnedOf = verdict.reason;
      log.warn(
        { reason: verdict.reason },
        'This database may be a copy, or may have lost transactions, and Redis has no mark to compare it with: workers go on. If it is a copy, stop them and run `carillon restore --hold`',
      );
    }
  }

  /**
   * Reads the mark: the latest committed heartbeat of a worker, of which Redis has a copy. If Postgres does not have
   * this heartbeat, it has lost transactions, for example in a restore. Runs that were delivered already could then be
   * claimed again. So the installation is held: no worker may claim until an operator decides how to go on.
   */
  async #readMark(installationId: string): Promise<MarkState | 'lost'> {
    const { pool, outsideMark } = this.parts;
    if (!outsideMark) {
      this.#isMarkCompared = true;
      return 'silent';
    }
    const mark = await outsideMark.read(installationId).catch(() => undefined);
    if (mark === undefined) return 'silent';
    this.#isMarkCompared = true;
    if (mark === null) return 'absent';
    const verdict = await judgeEvidence(pool, mark);
    if (verdict === 'lost') {
      await holdForLoss(pool, mark);
      return 'lost';
    }
    // After an operator's decision, a mark that was written before the decision is a sign neither of a loss nor of a
    // copy.
    return verdict === 'intact' ? 'intact' : 'silent';
  }

  /** Logs once that the installation is held, and why. */
  #tell(hold: Hold | null): void {
    const { log } = this.parts;
    if (hold && this.#hold === null) {
      const { code, reason, lostFromAt } = hold;
      log.error({ code, reason, lostFrom: new Date(lostFromAt).toISOString() }, HOLD_ADVICE[code]);
    }
    this.#hold = hold;
  }
}
