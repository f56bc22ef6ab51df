import {
  addLaterFires,
  countSchedules,
  createBulkAction,
  findBulkAction,
  finishBulkAction,
  type KeyOwner,
  listSchedules,
  readForecastOfMatching,
  reportBulkAction,
} from '@carillon/db';
import { type ActionAnswer, type ActionInput, type ActionProgress, DAY_MS } from '@carillon/shared';
import type { z } from 'zod';
import type { ApiContext } from '../context.js';
import { HttpProblem } from '../http/problem.js';
import { statusOf } from '../present/bulk-action.js';
import { iso } from '../present/iso.js';
import { actOnMany, type BulkActionResult, pagesOfMatching } from './act-on-many.js';

type Action = z.infer<typeof ActionInput>;
type Preview = NonNullable<z.infer<typeof ActionAnswer>['preview']>;
type Progress = Omit<BulkActionResult, 'dueAts'>;

/** Number of schedules that are changed between two writes of the progress. */
const SCHEDULES_PER_PROGRESS_WRITE = 2_000;
/** How long a request waits for the end of its action. After that the API answers 202, and the action goes on. */
const MAX_WAIT_FOR_ACTION_MS = 10_000;
/** Maximum number of matching schedules that are counted, because counting a million takes seconds. */
const MAX_COUNTED = 100_000;
const MAX_REFUSALS = 100;
const EXAMPLES_PER_PREVIEW = 10;

interface Request {
  caller: KeyOwner;
  action: Action;
  beforeId: number | null;
  /** The Idempotency-Key; null if the request has none. */
  requestKey: string | null;
  requestHash: string;
}

/** An action that was started, with its progress at the time of the answer. */
export interface StartedAction extends Progress {
  id: string;
  status: z.infer<typeof ActionProgress>['status'];
  /** True if the request repeats an earlier one. The answer is then about the action that the first request started. */
  isRepeated: boolean;
}

interface ActionRef {
  id: string;
  projectId: number;
}

/** The bulk actions that run in this replica: some with a client that waits for the end, others in the background. */
export class BulkActions {
  readonly #running = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(
    private readonly context: Pick<ApiContext, 'pool' | 'bells' | 'counters'>,
    private readonly onError: (error: unknown, action: ActionRef) => void,
    private readonly maxWaitMs = MAX_WAIT_FOR_ACTION_MS,
  ) {}

  /**
   * Acts on all matching schedules. Resolves when the action is done, or after ten seconds with the progress so far.
   */
  async run(request: Request): Promise<StartedAction> {
    const id = await this.#create(request, null);
    if (id === null) return this.#repeated(request);
    const progress = newProgress(request);
    const work = this.#begin(id, request, progress);
    let timer: NodeJS.Timeout | undefined;
    const wait = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), this.maxWaitMs);
    });
    const isLate = (await Promise.race([work, wait]).finally(() => clearTimeout(timer))) === 'late';
    // An answer that comes before the end of the action has no cursor, because the action goes on by itself.
    const { lastId } = progress;
    return {
      ...progress,
      id,
      lastId: isLate ? null : lastId,
      status: isLate ? 'running' : lastId === null ? 'done' : 'failed',
      isRepeated: false,
    };
  }

  /**
   * Resolves as soon as the matching schedules are counted, with their number as `matched`, and acts on them in the
   * background.
   */
  async start(request: Request): Promise<StartedAction> {
    const { caller, action, beforeId } = request;
    const { projectId } = caller;
    const matching = { projectId, filter: action.filter, beforeId, limit: MAX_COUNTED };
    const total = await countSchedules(this.context.pool, matching);
    const id = await this.#create(request, total < MAX_COUNTED ? total : null);
    if (id === null) return this.#repeated(request);
    const progress = newProgress(request);
    this.#begin(id, request, progress).catch(() => {}); // `#begin` logs the error.
    return {
      ...newProgress(request),
      id,
      matched: total,
      lastId: null,
      status: 'running',
      isRepeated: false,
    };
  }

  /** Finds the action that the first request with the same Idempotency-Key started. */
  async #repeated({ caller, requestKey, requestHash }: Request): Promise<StartedAction> {
    const { projectId } = caller;
    const action = await findBulkAction(this.context.pool, { projectId, requestKey: requestKey ?? '' });
    if (action?.requestHash !== requestHash)
      throw new HttpProblem(
        'idempotency_key_reused',
        `the Idempotency-Key ${requestKey} was already used for another request; use a new one`,
      );
    return { ...action, status: statusOf(action), isRepeated: true };
  }

  #begin(id: string, request: Request, progress: Progress): Promise<void> {
    const work = this.#work(id, request, progress);
    const ref = { id, projectId: request.caller.projectId };
    const settled = work
      .catch((error) => this.onError(error, ref))
      .finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    return work;
  }

  /** Stops all actions after their current page. The progress of each action says where to continue. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  #create(
    { caller, action, requestKey, requestHash }: Request,
    total: number | null,
  ): Promise<string | null> {
    const { projectId, keyName: actor } = caller;
    const named = { projectId, action: action.action, actor, total };
    return createBulkAction(this.context.pool, { ...named, requestKey, requestHash });
  }

  async #work(id: string, { caller, action }: Request, progress: Progress): Promise<void> {
    const { pool, bells, counters } = this.context;
    const ref = { id, projectId: caller.projectId };
    try {
      const matching = { caller, action, beforeId: progress.lastId };
      for await (const page of pagesOfMatching(pool, matching, SCHEDULES_PER_PROGRESS_WRITE)) {
        const { dueAts, ...done } = await actOnMany(this.context, { caller, action, ...page });
        bells.arm(dueAts).catch(() => {});
        if (action.action === 'cancel') counters.count('jobs_cancelled_total', done.changed);
        add(progress, done);
        if (progress.lastId !== null) await reportBulkAction(pool, ref, progress);
        if (this.#isStopping) break;
      }
    } catch (error) {
      await finishBulkAction(pool, ref, { ...progress, error: FAILED }).catch((failure) =>
        this.onError(failure, ref),
      );
      throw error;
    }
    const isCutOff = progress.lastId !== null && this.#isStopping;
    await finishBulkAction(pool, ref, { ...progress, error: isCutOff ? STOPPED : null });
  }
}

const newProgress = ({ beforeId }: Request): Progress => ({
  matched: 0,
  changed: 0,
  refused: 0,
  refusals: [],
  lastId: beforeId,
});

const FAILED =
  'an error ended the action; the log of the API has it. Send the request again with nextCursor to go on';
const STOPPED = 'the API replica was stopped. Send the request again with nextCursor to go on';

function add(progress: Progress, done: Progress): void {
  progress.matched += done.matched;
  progress.changed += done.changed;
  progress.refused += done.refused;
  progress.refusals.push(...done.refusals.slice(0, MAX_REFUSALS - progress.refusals.length));
  progress.lastId = done.lastId;
}

/**
 * For a dry run, counts the schedules that an action would change and their fires of the next 24 hours. Changes
 * nothing.
 */
export async function previewAction(
  { pool, clock }: Pick<ApiContext, 'pool' | 'clock'>,
  { caller, action, beforeId }: Pick<Request, 'caller' | 'action' | 'beforeId'>,
): Promise<{ matched: number; preview: Preview }> {
  const matching = { projectId: caller.projectId, filter: action.filter, beforeId };
  const fromAt = Math.floor(clock.now());
  const toAt = fromAt + DAY_MS;
  const [matched, examples, { groups, isComplete }] = await Promise.all([
    countSchedules(pool, { ...matching, limit: MAX_COUNTED }),
    listSchedules(pool, { ...matching, limit: EXAMPLES_PER_PREVIEW }),
    readForecastOfMatching(pool, { ...matching, toAt }),
  ]);
  const later = new Map<number, number>();
  const isCounted = await addLaterFires(later, groups, { fromAt, toAt });
  const next = groups.reduce((sum, { schedules }) => sum + schedules, 0);
  return {
    matched,
    preview: {
      complete: matched < MAX_COUNTED,
      examples: examples.map(({ key, name, status, nextRunAt }) => ({
        id: key,
        name,
        nextRunAt: iso(status === 'active' ? nextRunAt : null),
      })),
      next24h: {
        fires: [...later.values()].reduce((sum, fires) => sum + fires, next),
        complete: isComplete && isCounted,
      },
    },
  };
}
