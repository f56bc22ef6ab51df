import {
  type ChangeRequest,
  type ClaimedRun,
  type Definition,
  extendLeases,
  findCancelled,
  promoteQueued,
  readStuckQueues,
  rescueRuns,
  resumeEnded,
  resumeSchedule,
} from '@carillon/db';
import { closingOf, type Outcome, type RunIdentity, type ScheduleInput } from '@carillon/shared';
import { draft, emptyTables, insertSchedules, type TestDatabase, useEngine } from '@carillon/testkit';
import { checkAgenda, findContradictions, findEmptyLeases } from '../checks/agenda.js';
import { checkAttempts } from '../checks/attempts.js';
import { checkChanges } from '../checks/changes.js';
import { type Facts, isOpen, readFacts } from '../checks/facts.js';
import { checkOccurrences } from '../checks/occurrences.js';
import { checkTenancy } from '../checks/tenancy.js';

const T0 = Date.parse('2026-03-02T10:00:00Z');
const LEASE_MS = 15_000;
const SUCCEEDED: Outcome = { kind: 'succeeded' };
let number = 0;

/**
 * A run that a worker may still try to write to, although another worker may have it by now: the first worker was
 * killed, or did not extend its lease.
 */
interface StaleRun {
  run: ClaimedRun;
  /** The worker that claimed the run. A late write is sent by this worker, under its own token. */
  engine: ReturnType<typeof useEngine>;
  /** True once the run was rescued or cancelled. From then on every write of this worker must be refused. */
  isLost: boolean;
}

/**
 * One schedule on the real engine, with time as an argument. The class also remembers the claimed attempts and the
 * state of the schedule that a client knows. At each claim, after each step and at the end, it checks the promises of
 * docs/architecture.md. It leaves out I7 (recovery from a fault) and I8 (bells in Redis).
 */
export class World {
  now = T0;
  status: 'active' | 'paused' | 'cancelled' = 'active';
  pausedUntil: number | null = null;
  readonly inFlight: ClaimedRun[] = [];
  readonly stale: StaleRun[] = [];
  readonly #claims = new Set<string>();
  /** The worker that is alive now. */
  engine: ReturnType<typeof useEngine>;

  private constructor(
    readonly database: TestDatabase,
    readonly id: number,
    readonly key: string,
    /** The latest definition as the client sent it. */
    public input: ScheduleInput,
    public timing: Definition['timing'],
  ) {
    this.engine = useEngine(database);
  }

  static async create(database: TestDatabase): Promise<World> {
    // The tables are emptied, because the worker would also claim the schedules of earlier histories.
    const tables = 'schedules agenda schedule_versions runs attempts gaps leases workers audit_log'.split(
      ' ',
    );
    await emptyTables(database, tables);
    const key = `simulated-${++number}`;
    const input: ScheduleInput = { id: key, rule: { every: 'PT10S' }, retry: { baseDelay: 'PT5S' } };
    const [id] = await insertSchedules(database, [input], { nowAt: T0 });
    await database.pool.query(
      `update carillon.schedules set created_at = at, defined_at = at, updated_at = at from to_timestamp($1) as at`,
      [T0 / 1_000],
    );
    return new World(database, id as number, key, input, draft(input, T0).timing);
  }

  get request(): ChangeRequest {
    return { ref: { id: this.id }, actor: 'ops', now: this.now };
  }

  get runRequest() {
    return { projectId: this.database.projectId, actor: 'ops', now: this.now };
  }

  /**
   * Claims as a worker does: due schedules first, then waiting runs, and then resumes schedules whose pause has ended.
   */
  async claim(limit: number): Promise<void> {
    for (const run of await this.engine.claim(this.now, limit)) {
      this.#witness(run);
      this.inFlight.push(run);
    }
    await this.dropCancelled();
    await resumeEnded(this.database.pool, this.now);
    if (this.pausedUntil !== null && this.pausedUntil <= this.now) this.#resumed();
  }

  /**
   * Closes a run as the worker does, and then starts the next queued run of the schedule. Without `withFollowUp`, the
   * worker dies in between.
   */
  async close(run: ClaimedRun, outcome: Outcome, { withFollowUp = true } = {}): Promise<void> {
    const kept = await this.engine.closeAll([{ run, outcome }], this.now);
    if (kept > 0 && outcome.kind === 'deferred') this.#claims.delete(attemptOf(run));
    const { retry } = run.plan;
    const { status } = closingOf(outcome, { retry, attempt: run.attempt - run.freeAttempts, random: 0 });
    if (kept > 0 && withFollowUp && run.isCounted && status !== 'retrying')
      await promoteQueued(this.database.pool, [run.scheduleId], this.now);
  }

  /** Kills the worker and starts another one. Writes of the killed worker may still arrive later. */
  crash(): void {
    this.#forget(this.inFlight, { isLost: false });
    this.engine = useEngine(this.database);
  }

  async extendLeases(): Promise<void> {
    const epochs = this.inFlight.map(({ epoch }) => epoch);
    const holder = await this.engine.holder();
    await extendLeases(this.database.pool, { ...holder, epochs, leaseMs: LEASE_MS, now: this.now });
  }

  /**
   * Does the work of one sweep: rescues the runs of expired leases, and starts queued runs that nothing else would
   * start. A worker that did not extend its lease loses its runs. It is still alive and may write later.
   */
  async sweep(): Promise<void> {
    const { pool } = this.database;
    const rescued = await rescueRuns(pool, this.now);
    const isRescued = (run: RunIdentity) => rescued.some((other) => isSameRun(run, other));
    for (const each of this.stale) each.isLost ||= isRescued(each.run);
    this.#forget(this.inFlight.filter(isRescued), { isLost: true });
    for (const { scheduleId, hasFailed } of rescued)
      if (hasFailed) await promoteQueued(pool, [scheduleId], this.now);
    await promoteQueued(pool, await readStuckQueues(pool), this.now);
  }

  /** Drops runs that were cancelled, as a worker does when it extends its leases. */
  async dropCancelled(): Promise<void> {
    const held = [...this.inFlight, ...this.stale.map(({ run }) => run)];
    const cancelled = await findCancelled(
      this.database.pool,
      held.map(({ epoch }) => epoch),
    );
    const isCancelled = (run: RunIdentity) => cancelled.some((other) => isSameRun(run, other));
    for (const each of this.stale) each.isLost ||= isCancelled(each.run);
    this.#forget(this.inFlight.filter(isCancelled), { isLost: true });
  }

  #forget(runs: readonly ClaimedRun[], { isLost }: { isLost: boolean }): void {
    const { engine } = this;
    const forgotten = new Set(runs);
    this.stale.push(...[...forgotten].map((run) => ({ run, engine, isLost })));
    this.inFlight.splice(0, this.inFlight.length, ...this.inFlight.filter((run) => !forgotten.has(run)));
  }

  /**
   * Lets a worker close a run late. Checks promise I2: if the run was rescued or cancelled, the write must be refused.
   */
  async writeLate({ run, engine, isLost }: StaleRun): Promise<void> {
    const kept = await engine.succeed(run, this.now);
    if (kept > 0 && isLost) throw new Error(`I2 a late writer was not refused: ${nameOf(run)}`);
  }

  paused(untilAt: number | null): void {
    this.status = 'paused';
    this.pausedUntil = untilAt;
  }

  async resume(): Promise<void> {
    const result = await resumeSchedule(this.database.pool, this.request);
    if (result.kind === 'changed') this.#resumed();
  }

  #resumed(): void {
    this.status = 'active';
    this.pausedUntil = null;
  }

  /** Lets every run end. An occurrence that has no record after that is lost. */
  async endAllRuns(): Promise<void> {
    await this.resume();
    this.crash();
    for (let i = 0; i < 40; i++) {
      this.now += 20_000;
      await this.sweep();
      await this.#deliverAll();
    }
  }

  /** Claims and closes runs until none may start now. */
  async #deliverAll(): Promise<void> {
    do {
      for (const run of this.inFlight.splice(0)) await this.close(run, SUCCEEDED);
      await this.claim(100);
    } while (this.inFlight.length > 0);
  }

  /** Checks what must hold after every step: no rows contradict each other, and no lease is without a run. */
  async checkStep(): Promise<void> {
    refuse([...(await findContradictions(this.database)), ...(await findEmptyLeases(this.database))]);
  }

  /** Checks what must hold while no change is in progress: the agenda has the next occurrence of the rule. */
  async checkAgenda(): Promise<void> {
    refuse(checkAgenda(await this.#readFacts()));
  }

  /** Checks the promises with the checks of the fault scenarios, after every run has ended. */
  async checkAll(): Promise<void> {
    const facts = await this.#readFacts();
    const open = [...facts.runs.values()].flat().filter((run) => isOpen(run));
    const { rowCount: leases } = await this.database.pool.query('select from carillon.leases');
    refuse([
      ...checkAgenda(facts),
      ...checkOccurrences(facts).violations,
      ...checkAttempts(facts),
      ...checkChanges(facts),
      ...checkTenancy(facts),
      ...open.map((run) => `I3 not settled: ${JSON.stringify(run)}`),
      ...(leases ? ['I3 a lease is left at rest'] : []),
    ]);
  }

  /** Reads the facts at the simulated time. The log of the receiver is empty, because the simulation sends nothing. */
  #readFacts(): Promise<Facts> {
    const source = { pool: this.database.pool, receiver: { log: [] } };
    return readFacts(source, { sinceId: 0, sinceAuditId: 0, now: this.now });
  }

  /** Checks promises I2, I4 and I6 at the moment of a claim. */
  #witness(run: ClaimedRun): void {
    const name = attemptOf(run);
    if (run.dueAt > this.now) throw new Error(`I6 claimed early: ${name}`);
    if (this.status !== 'active') throw new Error(`I4 claimed while ${this.status}: ${name}`);
    if (this.#claims.has(name)) throw new Error(`I2 claimed twice: ${name}`);
    this.#claims.add(name);
    const isInFlight = this.inFlight.some((other) => isSameRun(run, other));
    if (isInFlight) throw new Error(`I2 claimed while in flight: ${name}`);
  }
}

const isSameRun = (a: RunIdentity, b: RunIdentity) =>
  a.scheduleId === b.scheduleId && a.occurrenceAt === b.occurrenceAt && a.origin === b.origin;

const attemptOf = (run: ClaimedRun) => `${nameOf(run)} attempt ${run.attempt}`;
const nameOf = ({ origin, occurrenceAt }: RunIdentity) => `${origin} ${new Date(occurrenceAt).toISOString()}`;

function refuse(violations: readonly string[]): void {
  if (violations.length > 0) throw new Error(violations.join('\n'));
}
