import {
  type ClaimedRunView,
  type HistoryPosition,
  type RunView,
  readAuditAfter,
  readEndedRuns,
  readInFlightOfProject,
  readRunsByEpoch,
  readStoppedRuns,
  type Watermark,
} from '@carillon/db';
import { encodeRunId } from '@carillon/shared';
import type { Pool } from 'pg';
import { type CarillonEvent, endOfRun, eventOfAudit, eventsOfRun } from './event.js';
import type { StreamPosition } from './position.js';
import { SequenceProgress } from './sequence-progress.js';

/**
 * How long polls look for claims with a smaller epoch (number of a lease) than one that has been read, and for audit
 * entries with a smaller id. Both get their number before they commit, and commit within milliseconds.
 */
const MAX_COMMIT_LAG_MS = 3_000;
const MAX_ROWS_PER_POLL = 5_000;
/**
 * A listener resumes from a position before the claim of each run in flight (claimed and not ended), so that it gets
 * the end of the run. A run that has been in flight for longer than this is ignored, so that the position does not fall
 * far behind.
 */
const MAX_POSITION_LAG_MS = 900_000;

type InFlightRun = Pick<
  ClaimedRunView,
  'scheduleId' | 'occurrenceAt' | 'origin' | 'month' | 'epoch' | 'attempt' | 'status' | 'happenedAt'
>;

/**
 * Reads the events of one project by polling Postgres, so that workers need not write events. A poll finds started runs
 * by their epoch, the number of their lease, which grows with every claim. It looks up the runs in flight to see which
 * of them have ended. It finds skipped and cancelled runs by the time of that change, and changes of schedules by the
 * audit log.
 */
export class EventReader {
  readonly #epochs: SequenceProgress;
  readonly #audit: SequenceProgress;
  /** Runs in flight whose end has not been reported. Those that were looked up last are at the end. */
  readonly #inFlight = new Map<string, InFlightRun>();
  /**
   * Skipped and cancelled runs that were reported. The next polls read them again, and must not report them twice. The
   * value is the time of the skip or the cancellation.
   */
  readonly #reportedStops = new Map<string, number>();
  #stopsAfter: HistoryPosition;
  /** Everything up to this instant has been reported. */
  #reportedUntilAt: number;

  constructor(
    private readonly pool: Pool,
    private readonly projectId: number,
    { epoch, auditId, at }: Watermark,
    private readonly nowAt: () => number,
  ) {
    this.#epochs = new SequenceProgress(epoch, MAX_COMMIT_LAG_MS);
    this.#audit = new SequenceProgress(auditId, MAX_COMMIT_LAG_MS);
    this.#reportedUntilAt = at - MAX_COMMIT_LAG_MS;
    this.#stopsAfter = { happenedAt: at - MAX_COMMIT_LAG_MS, run: null };
  }

  /**
   * Records the runs in flight, so that their end is reported. Also records the runs that were skipped or cancelled in
   * the last seconds, so that they are not reported: they stopped before this reader started.
   */
  async start(): Promise<this> {
    const { projectId } = this;
    for (const run of await readInFlightOfProject(this.pool, { projectId, limit: MAX_ROWS_PER_POLL }))
      this.#track(run);
    do for (const run of await this.#readStops(this.nowAt())) this.#recordStop(run);
    while (this.#stopsAfter.run);
    return this;
  }

  /**
   * The position from which a listener that has received everything should resume. It lies before the claim of each run
   * in flight, except for runs older than `MAX_POSITION_LAG_MS`.
   */
  get position(): StreamPosition {
    let at = this.#reportedUntilAt;
    for (const { happenedAt } of this.#inFlight.values()) {
      const isRecent = happenedAt > this.#reportedUntilAt - MAX_POSITION_LAG_MS;
      if (isRecent) at = Math.min(at, happenedAt - 1);
    }
    return { at, auditId: this.#audit.floor };
  }

  /** Reads the events since the last poll. If a read fails, the next poll reads the same events. */
  async poll(): Promise<CarillonEvent[]> {
    const polledAt = this.nowAt();
    const startedAt = performance.now();
    const lookedUp = [...this.#inFlight.values()].slice(0, MAX_ROWS_PER_POLL);
    const ended = await readEndedRuns(this.pool, lookedUp);
    const claimed = await readRunsByEpoch(this.pool, {
      projectId: this.projectId,
      afterEpoch: this.#epochs.floor,
      except: this.#epochs.alreadyRead,
      limit: MAX_ROWS_PER_POLL,
    });
    const entries = await readAuditAfter(this.pool, {
      projectId: this.projectId,
      afterId: this.#audit.floor,
      except: this.#audit.alreadyRead,
      limit: MAX_ROWS_PER_POLL,
    });
    const stops = await this.#readStops(polledAt);
    // All reads have succeeded. The state changes only now, so that a failed poll loses no event.
    const endedAt = performance.now();
    const hasReadAllClaims = claimed.length < MAX_ROWS_PER_POLL;
    this.#epochs.advance(
      claimed.map(({ epoch }) => epoch),
      { startedAt, endedAt, isFull: !hasReadAllClaims },
    );
    this.#audit.advance(
      entries.map(({ id }) => id),
      { startedAt, endedAt, isFull: entries.length >= MAX_ROWS_PER_POLL },
    );
    for (const run of lookedUp) this.#moveToEnd(run);
    const events = [
      ...entries.filter(({ action }) => action.startsWith('schedule.')).map(eventOfAudit),
      ...ended.flatMap((run) => this.#eventsOfRun(run)),
      ...claimed.flatMap((run) => this.#eventsOfRun(run)),
      ...stops.flatMap((run) => this.#eventsOfStop(run)),
    ];
    if (hasReadAllClaims)
      this.#reportedUntilAt = Math.max(this.#reportedUntilAt, this.#stopsAfter.happenedAt - 1);
    for (const [stop, happenedAt] of this.#reportedStops)
      if (happenedAt < this.#stopsAfter.happenedAt) this.#reportedStops.delete(stop);
    return events;
  }

  async #readStops(polledAt: number): Promise<RunView[]> {
    const after = this.#stopsAfter;
    const stops = await readStoppedRuns(this.pool, {
      projectId: this.projectId,
      after,
      limit: MAX_ROWS_PER_POLL,
    });
    const last = stops.at(-1);
    // Thousands of runs may be cancelled at one instant. So after a full page, the next poll continues after the last
    // run of the page.
    if (last && stops.length >= MAX_ROWS_PER_POLL)
      this.#stopsAfter = { happenedAt: last.happenedAt, run: last };
    else
      this.#stopsAfter = { happenedAt: Math.max(after.happenedAt, polledAt - MAX_COMMIT_LAG_MS), run: null };
    return stops;
  }

  #eventsOfRun(run: ClaimedRunView): CarillonEvent[] {
    const events = eventsOfRun(run, this.#inFlight.get(encodeRunId(run)));
    this.#track(run);
    if (run.status === 'cancelled') this.#recordStop(run);
    return events;
  }

  #eventsOfStop(run: RunView): CarillonEvent[] {
    // A later poll reads this run by its epoch. It then reports that the run was started and cancelled.
    if (run.epoch !== null && this.#epochs.isUnread(run.epoch)) return [];
    this.#inFlight.delete(encodeRunId(run));
    return this.#recordStop(run) ? [endOfRun(run)] : [];
  }

  /** Returns false if this skip or cancel has been recorded before. */
  #recordStop(run: RunView): boolean {
    const stop = `${encodeRunId(run)}.${run.happenedAt}`;
    if (this.#reportedStops.has(stop)) return false;
    this.#reportedStops.set(stop, run.happenedAt);
    return true;
  }

  /** Remembers the run while it is in flight. */
  #track(run: ClaimedRunView): void {
    const id = encodeRunId(run);
    if (run.status !== 'running') {
      this.#inFlight.delete(id);
      return;
    }
    const { scheduleId, occurrenceAt, origin, month, epoch, attempt, status, happenedAt } = run;
    this.#inFlight.set(id, { scheduleId, occurrenceAt, origin, month, epoch, attempt, status, happenedAt });
  }

  /** Lets polls look up the other runs in flight before they look up this run again. */
  #moveToEnd(run: InFlightRun): void {
    const id = encodeRunId(run);
    this.#inFlight.delete(id);
    this.#inFlight.set(id, run);
  }
}
