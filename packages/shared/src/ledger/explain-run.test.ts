import { describe, expect, it } from 'vitest';
import type { Plan } from '../plan.js';
import { encodeRunId } from '../run-id.js';
import { explainRun } from './explain-run.js';
import { type StoryAttempt, type StoryRun, storyOfRun } from './story.js';

const DUE = Date.parse('2026-11-16T09:00:00Z');
const iso = (at: number) => new Date(at).toISOString();

const RUN: StoryRun = {
  scheduleId: 1,
  occurrenceAt: DUE,
  origin: 'rule',
  status: 'succeeded',
  version: 1,
  dueAt: DUE,
  recordedAt: DUE + 4,
  claimedAt: DUE + 4,
  finishedAt: DUE + 50,
  attempt: 1,
  replays: 0,
  latenessMs: 12,
  nextAttemptAt: null,
  error: null,
  reasonCode: null,
  reason: null,
};

/** The only part of a heartbeat's plan that its explanation needs. */
const HEARTBEAT = { target: { type: 'heartbeat' }, misfire: { graceMs: 60_000 } } as Plan;

const failure = (number: number, at: number, error = 'the receiver answered 503'): StoryAttempt => ({
  number,
  workerId: 3,
  claimedAt: at,
  finishedAt: at + 10,
  outcome: 'failed',
  errorCode: 'http_503',
  error,
});

const explain = (more: Partial<StoryRun>, attempts: StoryAttempt[] = []) => {
  const run = { ...RUN, ...more };
  return explainRun(
    run,
    storyOfRun({ run, attempts, deferrals: [], replays: [], tzdata: [], changes: [], nowAt: DUE + 60_000 }),
    {
      plan: null,
      liveHandlers: null,
    },
  );
};

describe('explainRun', () => {
  it('the explanation of a run that succeeded at its first attempt gives only its lateness', () => {
    expect(explain({})).toBe('ran 12 ms late');
  });

  it('the explanation of a failed run names the last error first and once, and then the earlier errors', () => {
    const attempts = [failure(1, DUE, 'connection refused'), failure(2, DUE + 1_000)];
    const failed = { status: 'failed', attempt: 2, error: 'the receiver answered 503' } as const;
    expect(explain(failed, attempts)).toBe(
      `began 12 ms late, failed after 2 attempts: the receiver answered 503: attempt 1 failed (connection refused) at ${iso(DUE)}`,
    );
  });

  it('the explanation of a run that failed before anything was sent does not call it late', () => {
    const error = 'its project may not use this target';
    expect(explain({ status: 'failed', latenessMs: null, error })).toBe(`never sent, failed: ${error}`);
  });

  it('the explanation of a run with dozens of different errors names only the first and the last ones', () => {
    const attempts = Array.from({ length: 40 }, (_, n) => failure(n + 1, DUE + n * 1_000, `error ${n + 1}`));
    const text = explain({ status: 'retrying', attempt: 40, nextAttemptAt: DUE + 99_000 }, attempts);
    expect(text).toContain('attempt 1 failed (error 1)');
    expect(text).toContain('28 more steps');
    expect(text).toContain('attempt 40 failed (error 40)');
    expect(text).toContain(`it is tried again at ${iso(DUE + 99_000)}`);
  });

  it('the explanation of a run that was claimed a second or more after it was due says how long it waited for the claim', () => {
    const late = { recordedAt: DUE + 42_000, claimedAt: DUE + 42_000, latenessMs: 42_010 };
    expect(explain(late)).toBe('ran 42 s late: claimed 42 s after it was due');
    expect(explain({ recordedAt: DUE + 999, claimedAt: DUE + 999, latenessMs: 1_010 })).toBe(
      'ran 1010 ms late',
    );
  });

  it('the explanation of a run that waited for the previous run of its schedule says from when to when it was queued', () => {
    const begun: StoryAttempt = {
      number: 1,
      workerId: 3,
      claimedAt: DUE + 90_000,
      finishedAt: DUE + 90_050,
      outcome: 'succeeded',
      errorCode: null,
      error: null,
    };
    expect(explain({ claimedAt: DUE + 90_000, latenessMs: 90_003 }, [begun])).toBe(
      `ran 90 s late: queued from ${iso(DUE + 4)} to ${iso(DUE + 90_000)}, until its turn came`,
    );
    const waiting = { claimedAt: null, finishedAt: null, latenessMs: null, attempt: 0 };
    const held = { ...waiting, status: 'queued', nextAttemptAt: Number.POSITIVE_INFINITY } as const;
    expect(explain(held)).toBe(`waiting for its turn: queued since ${iso(DUE + 4)}`);
  });

  it('the explanation of a heartbeat says that it waits for the ping (report) of its job, when the ping came, or that none came', () => {
    const reason = 'waiting for a ping until 2026-11-16 09:10:00 UTC';
    const explainHeartbeat = (more: Partial<StoryRun>, count = 1) => {
      const run = { ...RUN, latenessMs: null, ...more };
      const wait = {
        attempt: 1,
        reasonCode: 'awaiting_ping',
        reason,
        fromAt: DUE + 4,
        untilAt: DUE + 600_000,
      };
      const deferrals = count === 0 ? [] : [{ ...wait, count }];
      const story = storyOfRun({
        run,
        attempts: [],
        deferrals,
        replays: [],
        tzdata: [],
        changes: [],
        nowAt: DUE + 60_000,
      });
      return explainRun(run, story, { plan: count === 0 ? HEARTBEAT : null, liveHandlers: null });
    };
    const waiting = { status: 'retrying', nextAttemptAt: DUE + 600_000, finishedAt: null } as const;
    expect(explainHeartbeat(waiting)).toBe(
      `waiting for the ping of its job: it is tried again at ${iso(DUE + 600_000)}`,
    );
    expect(explainHeartbeat({ finishedAt: DUE + 42_000 })).toBe(
      'succeeded: the ping of its job came 42 s after it was due',
    );
    expect(explainHeartbeat({}, 0)).toBe('succeeded: the ping of its job came before its claim');
    const error = 'no ping came within 10 minutes';
    expect(explainHeartbeat({ status: 'failed', error })).toBe(`failed: ${error}`);
  });

  it('the explanation of a run that succeeded says so even if the time of its first byte is unknown', () => {
    expect(explain({ latenessMs: null })).toBe('succeeded');
  });

  it.each(['trigger', 'backfill'] as const)(
    'the explanation of a run with the origin %s names the API key that asked for the run, and says how late the run began',
    (origin) => {
      const run = { ...RUN, origin };
      const [word, action] =
        origin === 'trigger' ? ['triggered', 'schedule.triggered'] : ['backfilled', 'schedule.backfilled'];
      const asked = { at: run.recordedAt, actor: 'ops', action, detail: { runId: encodeRunId(run) } };
      const tell = (more: Partial<StoryRun>, changes = [asked]) => {
        const told = { ...run, ...more };
        return explainRun(
          told,
          storyOfRun({
            run: told,
            attempts: [],
            deferrals: [],
            replays: [],
            tzdata: [],
            changes,
            nowAt: DUE,
          }),
          {
            plan: null,
            liveHandlers: null,
          },
        );
      };
      expect(tell({})).toBe(`${word} by ops, ran 12 ms late`);
      expect(tell({ status: 'failed', latenessMs: null, error: 'no' })).toBe(
        `${word} by ops, never sent, failed: no`,
      );
      expect(tell({}, [])).toMatch(origin === 'trigger' ? /^triggered by hand, ran/ : /^backfilled, ran/);
    },
  );

  it('the explanation of a run names the author of each replay, and gives the number of replays only if the audit log lacks some of them', () => {
    const run = { ...RUN, replays: 2 };
    const single = {
      at: DUE + 20_000,
      actor: 'ops',
      action: 'run.replayed',
      detail: { run: encodeRunId(run) },
    };
    const bulk = { at: DUE + 30_000, actor: 'night shift' };
    const told = (replays: (typeof bulk)[], more: Partial<StoryRun> = {}) => {
      const given = { ...run, ...more };
      const sources = {
        run: given,
        attempts: [],
        deferrals: [],
        replays,
        tzdata: [],
        changes: [single],
        nowAt: DUE + 60_000,
      };
      return explainRun(given, storyOfRun(sources), { plan: null, liveHandlers: null });
    };
    const first = `replayed by ops at ${iso(DUE + 20_000)}`;
    const second = `replayed by night shift (bulk replay) at ${iso(DUE + 30_000)}`;
    expect(told([bulk])).toBe(`ran 12 ms late: ${first}; ${second}`);
    expect(told([])).toBe(`ran 12 ms late: ${first}; replayed 2 times`);
    const waiting = {
      status: 'retrying',
      reasonCode: 'replayed',
      reason: 'replayed by night shift',
    } as const;
    expect(told([bulk], waiting)).toBe(`began 12 ms late: ${first}; ${second}; held by a pause`);
    expect(told([], waiting)).toBe(`began 12 ms late: ${first}; replayed by night shift; held by a pause`);
  });

  it('the explanation names a database restore if the run was due in the time lost by that restore and was recorded afterwards', () => {
    const restored = {
      at: DUE + 3_000,
      actor: 'carillon restore',
      action: 'installation.restored',
      detail: { mode: 'refire', heldAt: DUE + 2_000, lostFromAt: DUE - 1_000, lostUntilAt: DUE + 3_000 },
    };
    const told = (recordedAt: number, dueAt = DUE) => {
      const run = { ...RUN, dueAt, recordedAt };
      const sources = {
        run,
        attempts: [],
        deferrals: [],
        replays: [],
        tzdata: [],
        changes: [restored],
        nowAt: DUE + 60_000,
      };
      return explainRun(run, storyOfRun(sources), { plan: null, liveHandlers: null });
    };
    expect(told(DUE + 4_000)).toContain(
      `due in the time that a restore has lost: carillon restore chose to run it at ${iso(DUE + 3_000)}`,
    );
    expect(told(DUE + 4)).not.toContain('restore');
    expect(told(DUE + 4_000, DUE + 3_500)).not.toContain('restore');
  });
});
