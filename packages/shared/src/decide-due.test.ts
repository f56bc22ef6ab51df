import { describe, expect, it } from 'vitest';
import { type Decision, type DueSchedule, decideDue } from './decide-due.js';
import type { Plan } from './plan.js';
import { parseTiming } from './rules/index.js';

const MINUTE = 60_000;
const at = (time: string) => Date.parse(`2026-03-02T${time}Z`);

const PLAN: Plan = {
  target: { type: 'handler', name: 'noop' },
  timeoutMs: 15_000,
  retry: { maxAttempts: 3, baseDelayMs: 1_000, maxDelayMs: 60_000, jitter: false },
  misfire: { policy: 'once', graceMs: MINUTE, limit: 100 },
  overlap: 'allow',
  maxConcurrentRuns: null,
  dependsOn: null,
  maxRuns: null,
  jitterMs: 0,
  pauseAfterFailures: null,
  onSuccess: null,
  onFailure: null,
  hasSecret: false,
};

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
  misfire: { policy, graceMs: MINUTE, limit },
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

describe('What is due', () => {
  it('runs, and the schedule goes on to the occurrence after it', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00'), at('10:00')))).toEqual({
      runs: '10:00',
      passed: null,
      next: '10:05',
    });
  });

  it('runs within the grace as if it were on time, one occurrence after the other', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00'), at('10:01')))).toEqual({
      runs: '10:00',
      passed: null,
      next: '10:05',
    });
  });

  it('ends the schedule with the last of its runs', () => {
    const schedule = { ...everyFiveMinutes('10:00', { maxRuns: 3 }), runsTotal: 2 };
    expect(moved(decideDue(schedule, at('10:00'))).next).toBeNull();
    expect(moved(decideDue({ ...schedule, runsTotal: 1 }, at('10:00'))).next).toBe('10:05');
  });

  it('falls due later by its jitter, which is the same each time it is asked', () => {
    const schedule = everyFiveMinutes('10:00', { jitterMs: 30_000 });
    const first = decideDue(schedule, at('10:00'));
    expect(decideDue(schedule, at('10:00'))).toEqual(first);
    const next = first.kind === 'move' ? first.next : null;
    expect(next?.occurrenceAt).toBe(at('10:05'));
    expect(next?.dueAt).toBeGreaterThanOrEqual(at('10:05'));
    expect(next?.dueAt).toBeLessThanOrEqual(at('10:05') + 30_000);
  });
});

describe('What was missed', () => {
  it('is run once by default: the latest, the earlier ones being accounted for', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('once')), at('10:22')))).toEqual({
      runs: '10:20',
      passed: '10:00-10:15 ×4 misfire',
      next: '10:25',
    });
  });

  it('is run once also where there is only one', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('once')), at('10:03')))).toEqual({
      runs: '10:00',
      passed: null,
      next: '10:05',
    });
  });

  it('is skipped by the policy skip, except for what is still within its grace', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('skip')), at('10:20:30')))).toEqual({
      runs: null,
      passed: '10:00-10:15 ×4 misfire',
      next: '10:20',
    });
  });

  it('is run one by one by the policy all', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('all')), at('10:22')))).toEqual({
      runs: '10:00',
      passed: null,
      next: '10:05',
    });
  });

  it('is run up to the limit by the policy all, the latest ones', () => {
    expect(moved(decideDue(everyFiveMinutes('10:00', misfire('all', 2)), at('10:22')))).toEqual({
      runs: '10:15',
      passed: '10:00-10:10 ×3 misfire',
      next: '10:20',
    });
  });

  it('does not take long to account for a year of seconds', () => {
    const parsed = parseTiming({ rule: { cron: '* * * * * *' } }, { anchorAt: 0 });
    if (!parsed.ok) throw new Error('not a rule');
    const schedule = { ...everyFiveMinutes('10:00', misfire('once')), timing: parsed.timing };
    const decision = decideDue(schedule, at('10:00') + 365 * 86_400_000);
    expect(decision).toMatchObject({ kind: 'move', passed: { count: 365 * 86_400 } });
  });
});

describe('A rescheduled occurrence', () => {
  it('keeps its identity, and what follows is not affected', () => {
    const schedule = { ...everyFiveMinutes('10:00'), dueAt: at('10:03') };
    expect(moved(decideDue(schedule, at('10:03')))).toEqual({ runs: '10:00', passed: null, next: '10:05' });
  });

  it('overtakes those that it was put behind', () => {
    const schedule = { ...everyFiveMinutes('10:00'), dueAt: at('10:12') };
    expect(moved(decideDue(schedule, at('10:12')))).toEqual({
      runs: '10:00',
      passed: '10:05-10:10 ×2 overtaken',
      next: '10:15',
    });
  });
});

it('A rule that can no longer be evaluated is a decision, not an exception', () => {
  const schedule = everyFiveMinutes('10:00');
  const broken = { ...schedule, timing: { ...schedule.timing, timezone: 'Mars/Olympus' } };
  expect(decideDue(broken, at('10:00'))).toMatchObject({ kind: 'broken' });
});
