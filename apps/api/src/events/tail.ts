import {
  type AuditView,
  type RunView,
  readAuditAfter,
  readRecentSkips,
  readRunsByEpoch,
  type Watermark,
} from '@carillon/db';
import type { Pool } from 'pg';
import { runIdOf } from '../present/run.js';
import { type CarillonEvent, eventOfAudit, eventsOfRun } from './event.js';
import { Trail } from './trail.js';

/** Claims take milliseconds; what has not committed after this long is not waited for. */
const SETTLED_MS = 3_000;
const MOST_AT_ONCE = 5_000;
/** Above this many runs in a look, skipped ones are left to the history: finding them would mean reading all of it. */
const MANY = 1_000;
/** A run that has been under way for more claims than this no longer holds back the position to resume from. */
const FURTHEST_BACK = 10_000;

interface Known {
  attempt: number;
  status: string;
  epoch: number;
}

/**
 * Follows what happens in one project by looking at Postgres now and then. Nothing is written for it anywhere: runs are
 * found by their epoch, which grows with every claim, and changes of schedules by the audit trail.
 */
export class Tail {
  readonly #epochs: Trail;
  readonly #audit: Trail;
  readonly #known = new Map<string, Known>();
  readonly #seenAudit = new Set<number>();
  #skipsSince: Date;

  constructor(
    private readonly pool: Pool,
    private readonly projectId: number,
    from: Watermark,
    nowAt: number,
  ) {
    this.#skipsSince = new Date(nowAt);
    this.#epochs = new Trail(from.epoch);
    this.#audit = new Trail(from.auditId);
  }

  /** Where somebody who has had everything up to now would go on. Runs under way are before it: their end is to come. */
  get position(): Watermark {
    let epoch = this.#epochs.floor;
    for (const known of this.#known.values()) {
      const isRecent = known.epoch > this.#epochs.highest - FURTHEST_BACK;
      if (known.status === 'running' && isRecent) epoch = Math.min(epoch, known.epoch - 1);
    }
    return { epoch, auditId: this.#audit.floor };
  }

  /** What has happened since the last look, and whether there is more than one look holds. */
  async look(): Promise<{ events: CarillonEvent[]; isBehind: boolean }> {
    const runs = await this.#readRuns();
    const entries = await readAuditAfter(this.pool, {
      projectId: this.projectId,
      afterId: this.#audit.floor,
      limit: MOST_AT_ONCE,
    });
    const skips = runs.length < MANY ? await this.#readSkips() : [];
    const events = [
      ...entries.flatMap((entry) => this.#newAudit(entry)),
      ...[...runs, ...skips].flatMap((run) => this.#newRun(run)),
    ];
    this.#forget();
    return { events, isBehind: runs.length >= MOST_AT_ONCE };
  }

  async #readRuns(): Promise<RunView[]> {
    const open = [...this.#known.values()]
      .filter(({ status }) => status === 'running')
      .map(({ epoch }) => epoch);
    const runs = await readRunsByEpoch(this.pool, {
      projectId: this.projectId,
      afterEpoch: this.#epochs.floor,
      epochs: [...new Set(open)],
      limit: MOST_AT_ONCE,
    });
    const highest = runs.reduce((most, { epoch }) => Math.max(most, epoch ?? 0), 0);
    // A look that was cut short did not see all of the last epoch.
    this.#epochs.reach(
      runs.length >= MOST_AT_ONCE ? highest - 1 : highest,
      performance.now(),
      runs.length >= MOST_AT_ONCE ? 0 : SETTLED_MS,
    );
    return runs;
  }

  async #readSkips(): Promise<RunView[]> {
    const skips = await readRecentSkips(this.pool, { projectId: this.projectId, sinceAt: this.#skipsSince });
    const latest = skips.reduce((most, { enqueuedAt }) => Math.max(most, enqueuedAt.getTime()), 0);
    if (latest > 0) this.#skipsSince = new Date(Math.max(this.#skipsSince.getTime(), latest - SETTLED_MS));
    return skips;
  }

  #newRun(run: RunView): CarillonEvent[] {
    const id = runIdOf(run);
    const events = eventsOfRun(run, this.#known.get(id));
    this.#known.set(id, {
      attempt: run.attempt,
      status: run.status,
      epoch: run.epoch ?? this.#epochs.highest,
    });
    return events;
  }

  #newAudit(entry: AuditView): CarillonEvent[] {
    this.#audit.reach(entry.id, performance.now(), SETTLED_MS);
    if (this.#seenAudit.has(entry.id)) return [];
    this.#seenAudit.add(entry.id);
    return entry.action.startsWith('schedule.') ? [eventOfAudit(entry)] : [];
  }

  /** Drops what will not be read again. */
  #forget(): void {
    for (const [id, known] of this.#known) {
      if (known.status !== 'running' && known.epoch <= this.#epochs.floor) this.#known.delete(id);
    }
    for (const id of this.#seenAudit) if (id <= this.#audit.floor) this.#seenAudit.delete(id);
  }
}
