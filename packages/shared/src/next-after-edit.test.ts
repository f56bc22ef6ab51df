import { expect, it } from 'vitest';
import type { ScheduleInput } from './contracts/schedule.js';
import { draftSchedule } from './draft-schedule.js';
import { nextAfterEdit, type ScheduleBeforeEdit } from './next-after-edit.js';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const at = (text: string) => Date.parse(`2026-03-${text}Z`);
const defaults = {
  target: { type: 'handler', name: 'noop' } as const,
  maxAttempts: 3,
  baseDelayMs: 1_000,
  allowPrivateTargets: true,
};

function define(
  input: Partial<ScheduleInput> & Pick<ScheduleInput, 'rule'>,
  calendars = new Map<string, string[]>(),
) {
  const result = draftSchedule(input, { key: 'k', nowAt: NOW - 86_400_000, defaults, calendars });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.drafted;
}

const daily = define({ rule: { cron: '0 9 * * *' } });

const before = (more: Partial<ScheduleBeforeEdit> = {}): ScheduleBeforeEdit => ({
  key: 'k',
  timing: daily.timing,
  plan: daily.plan,
  occurrenceAt: at('03T09:00:00'),
  dueAt: at('03T09:00:00'),
  runsTotal: 5,
  nowAt: NOW,
  ...more,
});

/** The next occurrence, which a person has rescheduled to the afternoon. */
const RESCHEDULED = { occurrenceAt: at('03T09:00:00'), dueAt: at('03T15:30:00') };

it('an edit that keeps the rule keeps the next occurrence and the time to which it was rescheduled', () => {
  const edited = define({ rule: { cron: '0 9 * * *' }, timeout: 'PT5S' });
  expect(nextAfterEdit(before(RESCHEDULED), edited)).toEqual(RESCHEDULED);
});

it('an edit to another rule makes the schedule continue with the first occurrence after the edit', () => {
  const edited = define({ rule: { cron: '0 18 * * *' } });
  const next = at('02T18:00:00');
  expect(nextAfterEdit(before(), edited)).toEqual({ occurrenceAt: next, dueAt: next });
});

it('an edit to a rule with the same next occurrence keeps the time to which the occurrence was rescheduled', () => {
  expect(nextAfterEdit(before(RESCHEDULED), define({ rule: { cron: '0 9 * * 2' } }))).toEqual(RESCHEDULED);
});

it('an edit of the jitter changes when the next occurrence is due, unless it was rescheduled', () => {
  const edited = define({ rule: { cron: '0 9 * * *' }, jitter: 'PT10M' });
  const next = nextAfterEdit(before(), edited);
  expect(next?.occurrenceAt).toBe(at('03T09:00:00'));
  expect(next?.dueAt).toBeGreaterThan(at('03T09:00:00'));
  expect(nextAfterEdit(before(RESCHEDULED), edited)).toEqual(RESCHEDULED);
});

it('an edit that sets a one-shot to a past instant makes that instant the next occurrence', () => {
  const edited = define({ rule: { at: '2026-03-01T08:00:00Z' } });
  expect(nextAfterEdit(before(), edited)?.occurrenceAt).toBe(at('01T08:00:00'));
});

it('an occurrence that a person has skipped or brought forward does not fire again after an edit', () => {
  const edited = define({ rule: { at: '2026-03-01T08:00:00Z' } });
  const timing = { ...edited.timing, settledAts: [at('01T08:00:00')] };
  expect(nextAfterEdit(before(), { ...edited, timing })).toBeNull();
});

it('an occurrence that was rescheduled to a later time stays pending if a calendar changes, unless the calendar now excludes its day', () => {
  const holidays = (dates: string[]) =>
    define({ rule: { cron: '0 9 * * *' }, exclusions: ['holidays'] }, new Map([['holidays', dates]]));
  const rescheduled = { occurrenceAt: at('02T09:00:00'), dueAt: at('02T15:00:00') };
  const schedule = before({ ...rescheduled, timing: holidays(['2026-12-25']).timing });
  expect(nextAfterEdit(schedule, holidays(['2026-12-26']))).toEqual(rescheduled);
  expect(nextAfterEdit(schedule, holidays(['2026-03-02']))?.occurrenceAt).toBe(at('03T09:00:00'));
});

it('a schedule that has reached its maximum number of runs finishes, and continues if an edit allows more runs', () => {
  const limited = (maxRuns: number) => define({ rule: { cron: '0 9 * * *' }, maxRuns });
  expect(nextAfterEdit(before(), limited(5))).toBeNull();
  const finished = before({ occurrenceAt: null, dueAt: null, plan: limited(5).plan });
  expect(nextAfterEdit(finished, limited(6))?.occurrenceAt).toBe(at('03T09:00:00'));
});

it('a schedule that finished because its rule has no further occurrence stays finished if an edit keeps the rule', () => {
  expect(nextAfterEdit(before({ occurrenceAt: null, dueAt: null }), daily)).toBeNull();
});
