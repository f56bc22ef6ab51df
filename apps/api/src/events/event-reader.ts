import {
  type AuditView,
  type HistoryPosition,
  type RunView,
  readAuditAfter,
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
 * How long polls read the rows of the latest epochs (numbers of leases) again, because a claim with a smaller epoch may
 * commit after one with a larger epoch. A claim commits within milliseconds.
 */
const SETTLED_MS = 3_000;
const MAX_ROWS_PER_POLL = 5_000;
/**
 * If a poll reads at least this many started or finished runs, skipped and cancelled runs are left to a later poll, to
 * limit the work of one poll.
 */
const BUSY_RUN_COUNT = 1_000;
/**
 * A listener resumes from a position before the claim of each run in flight (claimed and not ended), so that it gets
 * the end of the run. A run that has been in flight for longer than this is ignored, so that the position does not fall
 * far behind.
 */
const MAX_POSITION_LAG_MS = 900_000;

interface KnownRun {
  attempt: number;
  status: string;
  epoch: number;
  happenedAt: number;
}

/**
 * Reads the events of one project by polling Postgres, so that workers need not write events. A poll finds started and
 * finished runs by their epoch, the number of their lease, which grows with every claim. It finds skipped and cancelled
 * runs by the time of that change, and changes of schedules by the audit log.
 */
export class EventReader {
  readonly #epochs: SequenceProgress;
  readonly #audit: SequenceProgress;
  readonly #known = new Map<string, KnownRun>();
  readonly #seenAudit = new Set<number>();
  /**
   * Skipped and cancelled runs that were reported. The next polls read them again, and must not report them twice. The
   * value is the time of the skip or the cancellation.
   */
  readonly #reportedStops = new Map<string, number>();
  #stopsAfter: HistoryPosition;
  /** Everything up to this instant has been reported. */
  #settledAt: number;

  constructor(
    private readonly pool: Pool,
    private readonly projectId: number,
    { epoch, auditId, at }: Watermark,
    private readonly nowAt: () => number,
  ) {
    this.#epochs = new SequenceProgress(epoch);
    this.#audit = new SequenceProgress(auditId);
    this.#settledAt = at - SETTLED_MS;
    this.#stopsAfter = { happenedAt: at - SETTLED_MS, run: null };
  }

  /**
   * Records the runs in flight, so that their end is reported. Also records the runs that were skipped or cancelled in
   * the last seconds, so that they are not reported: they stopped before this reader started.
   */
  async start(): Promise<this> {
    const { projectId } = this;
    for (const run of await readInFlightOfProject(this.pool, { projectId, limit: MAX_ROWS_PER_POLL }))
      this.#remember(run);
    const stopped = { projectId, after: this.#stopsAfter, limit: MAX_ROWS_PER_POLL };
    for (const run of await readStoppedRuns(this.pool, stopped)) this.#eventsOfStop(run);
    return this;
  }

  /**
   * The position from which a listener that has received everything should resume. It lies before the claim of each run
   * in flight, except for runs older than `MAX_POSITION_LAG_MS`.
   */
  get position(): StreamPosition {
    let at = this.#settledAt;
    for (const { status, happenedAt } of this.#known.values()) {
      const isRecent = happenedAt > this.#settledAt - MAX_POSITION_LAG_MS;
      if (status === 'running' && isRecent) at = Math.min(at, happenedAt - 1);
    }
    return { at, auditId: this.#audit.floor };
  }

  /** Reads the events since the last poll. */
  async poll(): Promise<CarillonEvent[]> {
    const polledAt = this.nowAt();
    const runs = await this.#readRuns();
    const entries = await readAuditAfter(this.pool, {
      projectId: this.projectId,
      afterId: this.#audit.floor,
      limit: MAX_ROWS_PER_POLL,
    });
    const isBusy = runs.length >= BUSY_RUN_COUNT;
    const stops = isBusy ? [] : await this.#readStops(polledAt);
    const events = [
      ...entries.flatMap((entry) => this.#eventsOfAudit(entry)),
      ...runs.flatMap((run) => this.#eventsOfRun(run)),
      ...stops.flatMap((run) => this.#eventsOfStop(run)),
    ];
    if (!isBusy) this.#settledAt = Math.max(this.#settledAt, this.#stopsAfter.happenedAt - 1);
    this.#dropSettled();
    return events;
  }

  async #readRuns(): Promise<RunView[]> {
    const open = [...this.#known.values()]
      .filter(({ status }) => status === 'running')
      .map(({ epoch }) => epoch);
    const runs = await readRunsByEpoch(this.pool, {
      projectId: this.projectId,
      afterEpoch: this.#epochs.floor,
      epochs: [...new Set(open)],
      limit: MAX_ROWS_PER_POLL,
    });
    const highest = runs.reduce((most, { epoch }) => Math.max(most, epoch ?? 0), 0);
    // If the poll reached its row limit, it may have missed rows of the last epoch, so that epoch is read again.
    this.#epochs.advance(
      runs.length >= MAX_ROWS_PER_POLL ? highest - 1 : highest,
      performance.now(),
      runs.length >= MAX_ROWS_PER_POLL ? 0 : SETTLED_MS,
    );
    return runs;
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
    else this.#stopsAfter = { happenedAt: Math.max(after.happenedAt, polledAt - SETTLED_MS), run: null };
    return stops;
  }

  #eventsOfRun(run: RunView): CarillonEvent[] {
    const events = eventsOfRun(run, this.#known.get(encodeRunId(run)));
    this.#remember(run);
    return events;
  }

  #eventsOfStop(run: RunView): CarillonEvent[] {
    const id = encodeRunId(run);
    const stop = `${id}.${run.happenedAt}`;
    const isReported = this.#reportedStops.has(stop) || this.#known.get(id)?.status === run.status;
    this.#reportedStops.set(stop, run.happenedAt);
    if (isReported) return [];
    if (this.#known.has(id)) this.#remember(run);
    return [endOfRun(run)];
  }

  #remember(run: RunView): void {
    const { attempt, status, happenedAt } = run;
    this.#known.set(encodeRunId(run), {
      attempt,
      status,
      happenedAt,
      epoch: run.epoch ?? this.#epochs.highest,
    });
  }

  #eventsOfAudit(entry: AuditView): CarillonEvent[] {
    this.#audit.advance(entry.id, performance.now(), SETTLED_MS);
    if (this.#seenAudit.has(entry.id)) return [];
    this.#seenAudit.add(entry.id);
    return entry.action.startsWith('schedule.') ? [eventOfAudit(entry)] : [];
  }

  /** Drops entries that no later poll will read again. */
  #dropSettled(): void {
    for (const [id, known] of this.#known) {
      if (known.status !== 'running' && known.epoch <= this.#epochs.floor) this.#known.delete(id);
    }
    for (const id of this.#seenAudit) if (id <= this.#audit.floor) this.#seenAudit.delete(id);
    for (const [stop, happenedAt] of this.#reportedStops)
      if (happenedAt < this.#stopsAfter.happenedAt) this.#reportedStops.delete(stop);
  }
}
