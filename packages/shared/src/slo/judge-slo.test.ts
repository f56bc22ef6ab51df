import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../durations.js';
import { describeBreach } from './breach-words.js';
import { judgeSlo, type SloFacts, type WatchedRun } from './judge-slo.js';
import type { Slo } from './slo.js';

const DUE_AT = Date.parse('2026-11-18T02:00:00Z');

const NO_SLO: Slo = {
  startWithinMs: null,
  startGraceMs: 0,
  endWithinMs: null,
  endGraceMs: 0,
  maxDurationMs: null,
  successRate: null,
};

const run = (more: Partial<WatchedRun> = {}): WatchedRun => ({
  occurrenceAt: DUE_AT,
  dueAt: DUE_AT,
  status: 'due',
  startedAt: null,
  mayBeDeferred: false,
  finishedAt: null,
  attempt: 0,
  reasonCode: null,
  reason: null,
  error: null,
  ...more,
});

const judge = (slo: Partial<Slo>, runs: WatchedRun[], more: Partial<SloFacts> = {}) =>
  judgeSlo({
    slo: { ...NO_SLO, ...slo },
    runs,
    nowAt: DUE_AT,
    isPaused: false,
    judgedUntil: 0,
    counts: null,
    ...more,
  });

const states = ({ verdicts }: ReturnType<typeof judge>) =>
  verdicts.map(({ kind, isBreached, at }) => [kind, isBreached, (at - DUE_AT) / SECOND_MS]);

const succeeded = (startedAfterMs: number, endedAfterMs: number) =>
  run({
    status: 'succeeded',
    attempt: 1,
    startedAt: DUE_AT + startedAfterMs,
    finishedAt: DUE_AT + endedAfterMs,
  });

describe('start objective', () => {
  const slo = { startWithinMs: MINUTE_MS, startGraceMs: 30 * SECOND_MS };

  it('an occurrence that no worker claims misses its start objective at the deadline, not before', () => {
    const before = judge(slo, [run()], { nowAt: DUE_AT + 89 * SECOND_MS });
    expect(states(before)).toEqual([]);
    expect(before.nextCheckAt).toBe(DUE_AT + 90 * SECOND_MS);
    const after = judge(slo, [run()], { nowAt: DUE_AT + 90 * SECOND_MS });
    expect(states(after)).toEqual([['start', true, 90]]);
    expect(after.judgedUntil).toBe(0);
  });

  it('the start objective of a run that starts late is missed from the deadline until the run starts', () => {
    const judged = judge(slo, [succeeded(120 * SECOND_MS, 130 * SECOND_MS)], {
      nowAt: DUE_AT + 10 * MINUTE_MS,
    });
    expect(states(judged)).toEqual([
      ['start', true, 90],
      ['start', false, 120],
    ]);
    expect(judged.judgedUntil).toBe(DUE_AT);
  });

  it('if several runs of a schedule start late, its start objective is missed until the last of them has started', () => {
    const second = { occurrenceAt: DUE_AT + MINUTE_MS, dueAt: DUE_AT + MINUTE_MS };
    const first = succeeded(200 * SECOND_MS, 201 * SECOND_MS);
    const waiting = judge(slo, [first, run(second)], { nowAt: DUE_AT + 10 * MINUTE_MS });
    expect(states(waiting)).toEqual([
      ['start', true, 90],
      ['start', true, 150],
    ]);
    const started = { ...succeeded(240 * SECOND_MS, 250 * SECOND_MS), ...second };
    expect(states(judge(slo, [first, started], { nowAt: DUE_AT + 10 * MINUTE_MS }))).toEqual([
      ['start', true, 90],
      ['start', true, 150],
      ['start', false, 240],
    ]);
    // A run that starts before its own deadline always counts as a recovery, even while an earlier run has not started.
    const inTime = { ...second, status: 'running' as const, startedAt: DUE_AT + 61 * SECOND_MS, attempt: 1 };
    expect(states(judge(slo, [run(), run(inTime)], { nowAt: DUE_AT + 10 * MINUTE_MS }))).toEqual([
      ['start', false, 61],
      ['start', true, 90],
    ]);
  });

  it('while a claimed run may still be deferred, its start objective is breached if the claim was late, and not if the claim was in time', () => {
    const claimed = (afterMs: number) =>
      run({ status: 'running', attempt: 1, startedAt: DUE_AT + afterMs, mayBeDeferred: true });
    const late = judge(slo, [claimed(120 * SECOND_MS)], { nowAt: DUE_AT + 121 * SECOND_MS });
    expect(states(late)).toEqual([['start', true, 90]]);
    const inTime = judge(slo, [claimed(89 * SECOND_MS)], { nowAt: DUE_AT + 89 * SECOND_MS });
    expect(states(inTime)).toEqual([]);
    expect(inTime.nextCheckAt).toBe(DUE_AT + 90 * SECOND_MS);
    expect(states(judge(slo, [claimed(89 * SECOND_MS)], { nowAt: DUE_AT + 91 * SECOND_MS }))).toEqual([]);
  });

  it('an occurrence that the misfire policy skipped misses its start objective, but an occurrence that a person skipped does not', () => {
    const skipped = (reasonCode: string) =>
      run({ status: 'skipped', reasonCode, finishedAt: DUE_AT + 10 * MINUTE_MS });
    const nowAt = DUE_AT + 10 * MINUTE_MS;
    expect(states(judge(slo, [skipped('misfire')], { nowAt }))).toEqual([['start', true, 90]]);
    expect(states(judge(slo, [skipped('skipped_by_request')], { nowAt }))).toEqual([]);
  });

  it('while a schedule is paused, its open runs miss no objective, but its ended runs are judged', () => {
    const nowAt = DUE_AT + 10 * MINUTE_MS;
    const paused = judge(slo, [run()], { nowAt, isPaused: true });
    expect(states(paused)).toEqual([]);
    expect(paused.nextCheckAt).toBeNull();
    const ended = judge(slo, [succeeded(2 * MINUTE_MS, 3 * MINUTE_MS)], { nowAt, isPaused: true });
    expect(states(ended)).toHaveLength(2);
  });
});

describe('end objective', () => {
  const slo = { endWithinMs: 10 * MINUTE_MS, endGraceMs: MINUTE_MS };
  const running = run({ status: 'running', attempt: 1, startedAt: DUE_AT });

  it('a run that has not ended misses its end objective at the deadline plus the grace, not before', () => {
    expect(states(judge(slo, [running], { nowAt: DUE_AT + 11 * MINUTE_MS - 1 }))).toEqual([]);
    expect(states(judge(slo, [running], { nowAt: DUE_AT + 11 * MINUTE_MS }))).toEqual([['end', true, 660]]);
  });

  it('a run that fails for good before the deadline misses its end objective at once', () => {
    const failed = run({ status: 'failed', attempt: 3, startedAt: DUE_AT, finishedAt: DUE_AT + MINUTE_MS });
    expect(states(judge(slo, [failed], { nowAt: DUE_AT + MINUTE_MS }))).toEqual([['end', true, 60]]);
  });

  it('judgedUntil (the time up to which a schedule has been judged) stays before an open run, even if a later run has ended', () => {
    const later = { ...succeeded(0, SECOND_MS), occurrenceAt: DUE_AT + MINUTE_MS };
    expect(judge(slo, [running, later], { nowAt: DUE_AT + 2 * MINUTE_MS }).judgedUntil).toBe(0);
  });
});

it('a run that takes longer than maxDuration misses that objective while it is still running', () => {
  const slo = { maxDurationMs: MINUTE_MS };
  const running = run({ status: 'running', attempt: 1, startedAt: DUE_AT + 5 * SECOND_MS });
  const judged = judge(slo, [running], { nowAt: DUE_AT + 10 * SECOND_MS });
  expect(states(judged)).toEqual([]);
  expect(judged.nextCheckAt).toBe(DUE_AT + 65 * SECOND_MS);
  expect(states(judge(slo, [running], { nowAt: DUE_AT + 65 * SECOND_MS }))).toEqual([['duration', true, 65]]);
  expect(states(judge(slo, [succeeded(0, 30 * SECOND_MS)]))).toEqual([['duration', false, 30]]);
});

describe('success rate', () => {
  const latestFailure = { occurrenceAt: DUE_AT, error: 'HTTP 503' };
  const isBreached = (successRate: NonNullable<Slo['successRate']>, succeededRuns: number, failed: number) =>
    judge({ successRate }, [], { counts: { succeeded: succeededRuns, failed, latestFailure } }).verdicts[0]
      ?.isBreached;

  it('a success rate of 95% over the last 20 runs allows one failure, even while fewer than 20 runs have ended', () => {
    const rate = { percent: 95, last: 20, windowMs: null };
    expect(isBreached(rate, 2, 1)).toBe(false);
    expect(isBreached(rate, 2, 2)).toBe(true);
    expect(isBreached(rate, 19, 1)).toBe(false);
  });

  it('a success rate over a window is missed if the share of successful runs in that window is below its percentage', () => {
    const rate = { percent: 90, last: null, windowMs: 60 * MINUTE_MS };
    expect(isBreached(rate, 9, 1)).toBe(false);
    expect(isBreached(rate, 8, 1)).toBe(true);
    expect(isBreached(rate, 0, 0)).toBe(false);
  });
});

it('the sentence of an alert says what was expected, what happened, and since when the objective is missed', () => {
  const failed = run({
    status: 'failed',
    attempt: 3,
    startedAt: DUE_AT,
    finishedAt: DUE_AT + MINUTE_MS,
    error: 'the receiver answered 503',
  });
  const sentence = describeBreach({
    schedule: { key: 'nightly', name: 'Nightly export' },
    kind: 'end',
    slo: { ...NO_SLO, endWithinMs: 90 * MINUTE_MS },
    at: DUE_AT + MINUTE_MS,
    run: failed,
    counts: null,
  });
  expect(sentence).toBe(
    'Nightly export (nightly) was due at 2026-11-18 02:00:00 UTC and should have succeeded within 1 hour 30 minutes. It failed after 3 attempts: the receiver answered 503. Breached since 2026-11-18 02:01:00 UTC.',
  );
});
