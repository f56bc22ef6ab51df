import { parseTiming } from '@carillon/recurrence';
import { describe, expect, it } from 'vitest';
import { type Decision, type DueSchedule, decideDue } from './decide-due.js';
import { MINUTE_MS } from './durations.js';
import { followDecisions } from './follow-decisions.js';
import type { Plan } from './plan.js';
import { USUAL_PLAN } from './stored-definition.js';

const at = (time: string) => Date.parse(`2026-03-02T${time}Z`);

const PLAN: Plan = { ...USUAL_PLAN, target: { type: 'handler', name: 'noop' } };

function everyFiveMinutes(due: string, changes: Partial<Plan> = {}): DueSchedule {
  const parsed = parseTiming({ rule: { cron: '*/5 * * * *' } }, { anchorAt: 0 });
  if (!parsed.ok) throw new Error('not a rule');
  return {
    key: 'k',
    timing: parsed.timing,
    plan: { ...PLAN, ...changes },
    occurrenceAt: at(due),
    dueAt: at(due),
    runsTotal: 0,
  };
}

const misfire = (policy: 'once' | 'all' | 'skip', limit = 100) => ({
  misfire: { policy, graceMs: MINUTE_MS, limit },
});

function moved(decision: Decision) {
  if (decision.kind !== 'move') throw new Error(decision.reason);
  const { run, passed, next } = decision;
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  return {
    runs: run && clock(run.occurrenceAt),
    passed: passed && `${clock(passed.fromAt)}-${clock(passed.toAt)} ×${passed.count} ${passed.reasonCode}`,
    next: next && clock(next.occurrenceAt),
  };
}

describe('due occurrence', () => {
  it('a due occurrence runs, and the schedule moves on to the next occurrence', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00'), at('10:00')))).toEqual({
      runs: '10:00',
      passed: null,
      next: '10:05',
    });
  });

  it('occurrences that are late by less than the grace of their misfire policy all run, one after the other', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00'), at('10:01')))).toEqual({
      runs: '10:00',
      passed: null,
      next: '10:05',
    });
  });

  it('a schedule finishes when it reaches its maximum number of runs', () => {
    const schedule = { ...everyFiveMinutes('10:00', { maxRuns: 3 }), runsTotal: 2 };
    expect(moved(decideDue(schedule, at('10:00'))).next).toBeNull();
    expect(moved(decideDue({ ...schedule, runsTotal: 1 }, at('10:00'))).next).toBe('10:05');
  });

  it('jitter delays an occurrence by the same duration each time it is computed', () => {
    const schedule = everyFiveMinutes('10:00', { jitterMs: 30_000 });
    const first = decideDue(schedule, at('10:00'));
    expect(decideDue(schedule, at('10:00'))).toEqual(first);
    const next = first.kind === 'move' ? first.next : null;
    expect(next?.occurrenceAt).toBe(at('10:05'));
    expect(next?.dueAt).toBeGreaterThanOrEqual(at('10:05'));
    expect(next?.dueAt).toBeLessThanOrEqual(at('10:05') + 30_000);
  });
});

describe('missed occurrences', () => {
  it('by default only the latest missed occurrence runs, and the earlier ones are recorded as missed', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('once')), at('10:22')))).toEqual({
      runs: '10:20',
      passed: '10:00-10:15 ×4 misfire',
      next: '10:25',
    });
  });

  it('if only one occurrence was missed, it runs by default', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('once')), at('10:03')))).toEqual({
      runs: '10:00',
      passed: null,
      next: '10:05',
    });
  });

  it('under the misfire policy "skip", missed occurrences are skipped, except those within the grace', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('skip')), at('10:20:30')))).toEqual({
      runs: null,
      passed: '10:00-10:15 ×4 misfire',
      next: '10:20',
    });
  });

  it('under the misfire policy "all", missed occurrences run one by one', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('all')), at('10:22')))).toEqual({
      runs: '10:00',
      passed: null,
      next: '10:05',
    });
  });

  it('under the misfire policy "all" with a limit, only the latest missed occurrences run, up to the limit', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('all', 2)), at('10:22')))).toEqual({
      runs: '10:15',
      passed: '10:00-10:10 ×3 misfire',
      next: '10:20',
    });
  });

  it('the missed occurrences of a year are counted without listing each of them, even if the schedule fires every second', () => {
    const parsed = parseTiming({ rule: { cron: '* * * * * *' } }, { anchorAt: 0 });
    if (!parsed.ok) throw new Error('not a rule');
    const schedule = { ...everyFiveMinutes('10:00', misfire('once')), timing: parsed.timing };
    const decision = decideDue(schedule, at('10:00') + 365 * 86_400_000);
    expect(decision).toMatchObject({ kind: 'move', passed: { count: 365 * 86_400 } });
  });
});

describe('rescheduled occurrence', () => {
  it('a rescheduled occurrence runs at its new time under its original instant, and later occurrences do not move', () => {
    const schedule = { ...everyFiveMinutes('10:00'), dueAt: at('10:03') };
    expect(moved(decideDue(schedule, at('10:03')))).toEqual({ runs: '10:00', passed: null, next: '10:05' });
  });

  it('occurrences between the original time and the new time of a rescheduled occurrence are skipped as overtaken', () => {
    const schedule = { ...everyFiveMinutes('10:00'), dueAt: at('10:12') };
    expect(moved(decideDue(schedule, at('10:12')))).toEqual({
      runs: '10:00',
      passed: '10:05-10:10 ×2 overtaken',
      next: '10:15',
    });
  });
});

it('a rule that can no longer be evaluated gives the decision broken instead of an exception', () => {
  const schedule = everyFiveMinutes('10:00');
  const broken = { ...schedule, timing: { ...schedule.timing, timezone: 'Mars/Olympus' } };
  expect(decideDue(broken, at('10:00'))).toMatchObject({ kind: 'broken' });
});

describe('time that a restore has lost', () => {
  const lost = (mode: 'account' | 'refire', until: string, due = '10:00', changes: Partial<Plan> = {}) => ({
    ...everyFiveMinutes(due, changes),
    lostTime: { mode, untilAt: at(until), reason: 'a restore has lost it' },
  });

  it('`carillon restore --account` skips every occurrence that was due in the time lost by a database restore, and the schedule moves on', () => {
    expect(moved(decideDue(lost('account', '10:17'), at('10:17')))).toEqual({
      runs: null,
      passed: '10:00-10:15 ×4 restored',
      next: '10:20',
    });
  });

  it('`carillon restore --account` skips an occurrence that was due in the time lost by a database restore, even within the grace of its misfire policy', () => {
    expect(moved(decideDue(lost('account', '10:00'), at('10:00')))).toMatchObject({
      runs: null,
      passed: '10:00-10:00 ×1 restored',
    });
  });

  it.each([misfire('skip'), misfire('once'), misfire('all', 1)])(
    'after `carillon restore --refire`, occurrences that were due in the time lost by a database restore run one by one, under every misfire policy (%j)',
    (policy) => {
      expect(moved(decideDue(lost('refire', '10:17', '10:00', policy), at('11:00')))).toEqual({
        runs: '10:00',
        passed: null,
        next: '10:05',
      });
    },
  );

  it.each(['account', 'refire'] as const)(
    'after `carillon restore --%s`, an occurrence that was due after the time lost by a database restore follows the misfire policy',
    (mode) => {
      const schedule = lost(mode, '10:04', '10:05', misfire('skip'));
      expect(moved(decideDue(schedule, at('10:17')))).toMatchObject({
        runs: null,
        passed: '10:05-10:15 ×3 misfire',
      });
    },
  );

  it('the dry run of `carillon restore` counts how many due occurrences the command would run and how many it would skip', () => {
    const schedules = [
      lost('account', '10:17'),
      lost('refire', '10:17'),
      lost('refire', '10:17', '10:00', { maxRuns: 2 }),
      lost('account', '10:07', '10:00', misfire('all')),
      ...(['once', 'all', 'skip'] as const).map((policy) => everyFiveMinutes('10:00', misfire(policy))),
    ];
    expect(schedules.map((schedule) => followDecisions(schedule, at('10:17')))).toEqual([
      { run: 0, skipped: 4 },
      { run: 4, skipped: 0 },
      { run: 2, skipped: 0 },
      { run: 2, skipped: 2 },
      { run: 1, skipped: 3 },
      { run: 4, skipped: 0 },
      { run: 0, skipped: 4 },
    ]);
  });
});
