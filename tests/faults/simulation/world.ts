import {
  type ChangeRequest,
  type ClaimedRun,
  claimDue,
  claimWaiting,
  registerWorker,
  rescueRuns,
  resumeSchedule,
} from '@carillon/db';
import type { ScheduleInput } from '@carillon/shared';
import { insertSchedules, type TestDatabase, useEngine } from '@carillon/testkit';
import { checkAttempts } from '../checks/attempts.js';
import { checkChanges } from '../checks/changes.js';
import { isOpen, readFacts } from '../checks/facts.js';
import { checkOccurrences } from '../checks/occurrences.js';
import { checkTenancy } from '../checks/tenancy.js';

const T0 = Date.parse('2026-03-02T10:00:00Z');
const LEASE_MS = 15_000;
let number = 0;

/**
 * One schedule on the real engine, time being an argument, and what anybody who watched would know: what was claimed
 * and by whom, what was acknowledged when. The promises are checked as things happen and once more at the end.
 */
export class World {
  now = T0;
  status: 'active' | 'paused' | 'cancelled' = 'active';
  readonly inFlight: ClaimedRun[] = [];
  readonly stale: ClaimedRun[] = [];
  readonly #claims = new Set<string>();
  readonly engine: ReturnType<typeof useEngine>;

  private constructor(
    readonly database: TestDatabase,
    readonly id: number,
    readonly key: string,
    readonly workerId: number,
  ) {
    this.engine = useEngine(database);
  }

  static async create(database: TestDatabase): Promise<World> {
    // A world of its own: what the one before left behind would be claimed along with ours.
    await database.pool.query(
      'truncate schedules, schedule_versions, runs, attempts, gaps, leases, audit_log',
    );
    const key = `simulated-${++number}`;
    const input: ScheduleInput = { id: key, rule: { every: 'PT10S' }, retry: { baseDelay: 'PT5S' } };
    const [id] = await insertSchedules(database, [input], { nowAt: T0 });
    await database.pool.query('update schedule_versions set created_at = to_timestamp($1)', [T0 / 1_000]);
    const workerId = await registerWorker(database.pool, { host: 'simulated', pid: number });
    return new World(database, id as number, key, workerId);
  }

  get request(): ChangeRequest {
    return { ref: { id: this.id }, actor: 'ops', now: this.now };
  }

  /** A look of one worker, as its claimer makes it. */
  async claim(limit: number): Promise<void> {
    const options = { workerId: this.workerId, leaseMs: LEASE_MS, limit, now: this.now };
    const due = await claimDue(this.database.pool, { ...options, fairTo: [] });
    const waiting = await claimWaiting(this.database.pool, options);
    for (const run of [...due.runs, ...waiting.runs]) {
      if (run.scheduleId !== this.id) continue;
      this.#witness(run);
      this.inFlight.push(run);
    }
  }

  /** Everything in hand is forgotten, as a killed worker forgets; whoever it was may still try to write later. */
  crash(): void {
    this.stale.push(...this.inFlight.splice(0));
  }

  /** Who slept through its lease is not dead, and may write later; but what it had in hand is anybody's now. */
  async rescue(): Promise<void> {
    const rescued = await rescueRuns(this.database.pool, this.now);
    const isTaken = (run: ClaimedRun) =>
      rescued.some(
        (other) =>
          other.scheduleId === run.scheduleId &&
          other.occurrenceAt === run.occurrenceAt &&
          other.origin === run.origin,
      );
    this.stale.push(...this.inFlight.filter(isTaken));
    this.inFlight.splice(0, this.inFlight.length, ...this.inFlight.filter((run) => !isTaken(run)));
  }

  /** Brings everything to rest, so that what is left unaccounted for is lost. */
  async settle(): Promise<void> {
    if (this.status === 'paused') {
      await resumeSchedule(this.database.pool, this.request);
      this.status = 'active';
    }
    this.crash();
    for (let i = 0; i < 40; i++) {
      this.now += 20_000;
      await this.rescue();
      await this.claim(100);
      for (const run of this.inFlight.splice(0)) await this.engine.succeed(run, this.now);
    }
  }

  /** The promises, by the checker of the scenarios: nothing was sent to a receiver, and time is what we say it is. */
  async check(): Promise<void> {
    const { pool } = this.database;
    const facts = await readFacts(
      { pool, receiver: { log: [] } },
      { sinceId: 0, sinceAuditId: 0, now: this.now },
    );
    const open = [...facts.runs.values()].flat().filter((run) => isOpen(run));
    const { rowCount: leases } = await pool.query('select from leases where worker_id = $1', [this.workerId]);
    const violations = [
      ...checkOccurrences(facts).violations,
      ...checkAttempts(facts),
      ...checkChanges(facts),
      ...checkTenancy(facts),
      ...open.map((run) => `I3 not settled: ${JSON.stringify(run)}`),
      ...(leases ? ['I3 a lease was left'] : []),
    ];
    if (violations.length > 0) throw new Error(violations.join('\n'));
  }

  /** I2, I4 and I6, at the moment of the claim. */
  #witness(run: ClaimedRun): void {
    const name = `${run.origin} ${new Date(run.occurrenceAt).toISOString()} attempt ${run.attempt}`;
    if (run.dueAt > this.now) throw new Error(`early: ${name}`);
    if (this.status !== 'active') throw new Error(`claimed while ${this.status}: ${name}`);
    if (this.#claims.has(name)) throw new Error(`claimed twice: ${name}`);
    this.#claims.add(name);
    const alive = this.inFlight.find(
      (other) => other.occurrenceAt === run.occurrenceAt && other.origin === run.origin,
    );
    if (alive) throw new Error(`claimed while in flight: ${name}`);
  }
}
