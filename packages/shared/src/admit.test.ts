import { describe, expect, it } from 'vitest';
import { admitRun } from './admit.js';
import type { Plan } from './plan.js';

const plan = (overlap: Plan['overlap'], maxConcurrentRuns: number | null = null) =>
  ({ overlap, maxConcurrentRuns, dependsOn: { schedule: 'other', withinMs: 1_000 } }) as Plan;

describe('admission of a run', () => {
  it.each([
    ['allow', null, 5, 'start'],
    ['allow', 2, 1, 'start'],
    ['allow', 2, 2, 'queue'],
    ['skip', null, 0, 'start'],
    ['skip', null, 1, 'skip'],
    ['skip', 3, 2, 'start'],
    ['queue', null, 1, 'queue'],
    ['queue', 2, 1, 'start'],
    ['cancel', null, 1, 'replace'],
    ['cancel', null, 0, 'start'],
  ] as const)(
    'with the overlap policy %s, maxConcurrentRuns %s and %s open runs, a due run gets the decision %s',
    (overlap, max, started, expected) => {
      expect(admitRun(plan(overlap, max), { started, queued: 0 }, true).kind).toBe(expected);
    },
  );

  it('a due run is queued behind a run that is already queued, even if no run is in progress', () => {
    expect(admitRun(plan('queue'), { started: 0, queued: 1 }, true).kind).toBe('queue');
  });

  it('a run is skipped if the queue of its schedule is full', () => {
    const admission = admitRun(plan('queue'), { started: 1, queued: 1_000 }, true);
    expect(admission).toMatchObject({ kind: 'skip', reasonCode: 'queue_full' });
  });

  it('a run is skipped if the schedule that it depends on has not succeeded', () => {
    const admission = admitRun(plan('allow'), { started: 0, queued: 0 }, false);
    expect(admission).toMatchObject({ kind: 'skip', reasonCode: 'dependency' });
  });
});
